// Configures git to run .githooks; `npm install` in a checkout runs this, unless it leaves out the development tools that
// they need. Errors are ignored: an installation must not fail because of hooks.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

if (process.env.CI === undefined && existsSync(`${root}/.git`) && existsSync(`${root}/node_modules/.bin/biome`)) {
  spawnSync("git", ["config", "core.hooksPath", ".githooks"], { cwd: root, stdio: "ignore" });
}
