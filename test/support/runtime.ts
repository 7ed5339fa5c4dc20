import { fileURLToPath } from "node:url";
import { findNode, runtimeCommand } from "../../bin/runtime.js";

export type Runtime = "bun" | "node";

/** The runtime of the service under test: PETSTORE_RUNTIME, by default Bun. */
export const runtime: Runtime = process.env.PETSTORE_RUNTIME === "node" ? "node" : "bun";

/** The runtimes on this machine. */
export const runtimes: Runtime[] = findNode() === undefined ? ["bun"] : ["bun", "node"];

/** The `petstore` command: the bundle, as npm ships it, if bin/test.js has built it; otherwise the sources. */
export const MAIN: string =
  process.env.PETSTORE_TEST_MAIN ?? fileURLToPath(new URL("../../src/main.ts", import.meta.url));

/** The command line that runs a TypeScript file on the runtime under test, or on another one. */
export function commandFor(file: string, on: Runtime = runtime): [string, ...string[]] {
  const [program = "", ...options] = runtimeCommand(on);
  return [program, ...options, file];
}
