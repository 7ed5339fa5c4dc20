import { Command } from "commander";
import { hostInUrl, readConfig } from "../wiring/config.ts";

/** How long the service may take to answer, in ms. */
const PATIENCE = 2_000;

export function healthCommand(): Command {
  return new Command("health")
    .description("Ask the service that runs on this machine whether it is ready: 0 when it is, 1 when not.")
    .addHelpText("after", "\nExample:\n  petstore health && echo ready")
    .action(askHealth);
}

/** It asks the address that the service listens on, which the environment tells both of them. */
async function askHealth(): Promise<void> {
  const { host, port } = readConfig(process.env);
  const url = `http://${hostInUrl(host)}:${port}/readyz`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE) }).catch((error) => {
    throw new Error(`${url} does not answer: ${error instanceof Error ? error.message : error}`);
  });
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}.`);
  console.log("ready");
}
