import { fileURLToPath } from "node:url";
import { runtimeCommand } from "../../bin/runtime.js";

export type Runtime = "bun" | "node";

/** The runtime of the service under test: PETSTORE_RUNTIME, by default Bun. */
export const runtime: Runtime = process.env.PETSTORE_RUNTIME === "node" ? "node" : "bun";

/** The `petstore` command: the bundle, as npm ships it, if bin/test.js has built it; otherwise the sources. */
export const MAIN: string =
  process.env.PETSTORE_TEST_MAIN ?? fileURLToPath(new URL("../../src/main.ts", import.meta.url));

const commands = new Map<Runtime, string[]>();

/** The command line that runs a TypeScript file on the runtime under test, or on another one. */
export function commandFor(file: string, on: Runtime = runtime): [string, ...string[]] {
  // To find Node, programs are started.
  const command = commands.get(on) ?? runtimeCommand(on);
  commands.set(on, command);
  const [program = "", ...options] = command;
  return [program, ...options, file];
}
