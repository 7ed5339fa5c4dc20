import { Command } from "commander";
import { hostInUrl, readConfig } from "../wiring/config.ts";

/** How long the service may take to answer, in ms. */
const TIMEOUT = 2_000;

export function healthCommand(): Command {
  return new Command("health")
    .description("Ask the service on this machine whether it is ready. Exits with 0 when it is, with 1 when not.")
    .addHelpText("after", "\nExample:\n  petstore health && echo ready")
    .action(askHealth);
}

/** The environment names the address, as it does for the service. */
async function askHealth(): Promise<void> {
  const { host, port } = readConfig(process.env);
  const url = `http://${hostInUrl(host)}:${port}/readyz`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT) }).catch((error) => {
    throw new Error(`${url} does not answer: ${error instanceof Error ? error.message : error}`);
  });
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}.`);
  console.log("ready");
}
