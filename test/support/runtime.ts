import { findNode, runtimeCommand } from "../../bin/runtime.js";

export type Runtime = "bun" | "node";

/** The runtime that the service under test runs on: PETSTORE_RUNTIME, Bun where it says nothing. */
export const runtime: Runtime = process.env.PETSTORE_RUNTIME === "node" ? "node" : "bun";

/** The runtimes that this machine has. */
export const runtimes: Runtime[] = findNode() === undefined ? ["bun"] : ["bun", "node"];

/** The command line that runs a TypeScript file on the runtime under test, or on another one. */
export function commandFor(file: string, on: Runtime = runtime): [string, ...string[]] {
  const [program = "", ...options] = runtimeCommand(on);
  return [program, ...options, file];
}
