// Builds the console, also after `npm install` in a checkout. A container's first stage installs what package.json names
// before it has the console: there is nothing to build then.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runtimeCommand } from "./runtime.js";

const build = fileURLToPath(new URL("../console/build.ts", import.meta.url));

if (existsSync(build)) {
  const [bun = "", ...options] = runtimeCommand("bun");
  process.exitCode = spawnSync(bun, [...options, build], { stdio: "inherit" }).status ?? 1;
}
