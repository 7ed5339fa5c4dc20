// Builds the console; `npm install` in a checkout runs this. The first stage of the container installs the packages
// before it has the console: then there is nothing to build.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runtimeCommand } from "./runtime.js";

const build = fileURLToPath(new URL("../console/build.ts", import.meta.url));

if (existsSync(build)) {
  const [bun = "", ...options] = runtimeCommand("bun");
  process.exitCode = spawnSync(bun, [...options, build], { stdio: "inherit" }).status ?? 1;
}
