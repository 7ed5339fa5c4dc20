import { findNode } from "../../bin/runtime.js";
import type { Runtime } from "./runtime.ts";

/** The runtimes on this machine. */
export const runtimes: Runtime[] = findNode() === undefined ? ["bun"] : ["bun", "node"];
