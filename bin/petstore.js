#!/usr/bin/env node
// Starts the `petstore` command on the runtime that is to run it: Bun, which npm installed beside it,
// or Node 24 or newer when PETSTORE_RUNTIME=node. Written for whatever Node npm itself runs on.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { runtimeCommand } from "./runtime.js";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
/** @type {string[]} */
let command = [];
try {
  command = runtimeCommand(process.env.PETSTORE_RUNTIME);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
const [program = "", ...options] = command;
const child = spawn(program, [...options, main, ...process.argv.slice(2)], { stdio: "inherit" });
/** @type {NodeJS.Signals[]} */
const signals = ["SIGTERM", "SIGINT", "SIGHUP"];
for (const signal of signals) process.on(signal, () => child.kill(signal));
// npm runs scripts in a shell, which ends at a signal without passing it on: then nobody would ever stop the service.
const shell = process.ppid;
const watch = setInterval(() => process.ppid !== shell && child.kill("SIGTERM"), 200);
if (process.env.npm_lifecycle_event === undefined) clearInterval(watch);
child.on("error", (error) => {
  console.error(`petstore cannot start ${program}: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  clearInterval(watch);
  process.exitCode = code ?? 1;
  if (signal === null) return;
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
