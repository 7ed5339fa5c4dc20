import { findNode } from "../../bin/runtime.js";
import type { Runtime } from "./runtime.ts";

/** The runtimes on this machine. Apart from runtime.ts, which every service under test loads: to find Node, programs are started. */
export const runtimes: Runtime[] = findNode() === undefined ? ["bun"] : ["bun", "node"];
