import { Command } from "commander";
import { codeOf, messageOf } from "../domain/errors.ts";
import { hostInUrl, readConfig } from "../wiring/config.ts";

/** How long the service may take to answer, in ms. */
const TIMEOUT = 2_000;
const REFUSED = "ECONNREFUSED";

export function healthCommand(): Command {
  return new Command("health")
    .description("Check whether the service on this machine is ready. Exits with 0 if it is, with 1 if not.")
    .addHelpText("after", "\nExample:\n  petstore health && echo ready")
    .action(checkHealth);
}

/** Reads the address from the same environment variables as the service. */
async function checkHealth(): Promise<void> {
  const { host, port } = readConfig(process.env);
  const url = `http://${hostInUrl(host)}:${port}/readyz`;
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT) }).catch((error) => {
    throw new Error(`${url} does not answer: ${reasonOf(error)}`);
  });
  if (!response.ok) throw new Error(`${url} answers ${response.status}.`);
  console.log("ready");
}

/** The runtimes report a refused connection in different ways. */
function reasonOf(error: unknown): string {
  if (codeOf(error) === REFUSED || (error instanceof Error && codeOf(error.cause) === REFUSED)) {
    return "nothing listens there. Start the service with `petstore serve`, or set HOST and PORT to its address.";
  }
  return messageOf(error);
}
