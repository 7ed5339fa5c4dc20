#!/usr/bin/env node
// Starts the `petstore` command on Bun, which npm installed with it, or on Node 24 or newer if PETSTORE_RUNTIME=node.
// This file must run on every Node that npm supports.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runtimeCommand, runtimeEnvironment } from "./runtime.js";

// A checkout has the sources, the package from npm what deploy/package.ts builds of them.
const [source = "", built = ""] = ["../src/main.ts", "../dist/main.js"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);
const main = existsSync(source) ? source : built;
/** @type {string[]} */
let command = [];
try {
  command = runtimeCommand(process.env.PETSTORE_RUNTIME);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
const [program = "", ...options] = command;
const args = [...options, main, ...process.argv.slice(2)];
const env = { ...runtimeEnvironment, ...process.env };
// Below npm this process stays, to notice when npm is killed: nothing else would stop the service.
const isBelowNpm = process.env.npm_lifecycle_event !== undefined;
// Otherwise the command takes its place, which saves 45 MB. Windows cannot do that, and neither can Node before 22.15.
if (process.platform !== "win32" && !isBelowNpm) process.execve?.(program, [program, ...args], env);

// By this name the command notices when this process is killed.
const child = spawn(program, args, { stdio: "inherit", env: { ...env, PETSTORE_LAUNCHER: String(process.pid) } });
/** @type {NodeJS.Signals[]} */
const signals = ["SIGTERM", "SIGINT", "SIGHUP"];
for (const signal of signals) process.on(signal, () => child.kill(signal));
const parent = process.ppid;
const parentCheck = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(parentCheck);
  child.kill("SIGTERM");
}, 200);
if (!isBelowNpm) clearInterval(parentCheck);
child.on("error", (error) => {
  console.error(`petstore cannot start ${program}: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  clearInterval(parentCheck);
  process.exitCode = code ?? 1;
  if (signal === null) return;
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
