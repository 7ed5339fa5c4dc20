// Has git run .githooks after `npm install` in a checkout. An installation never fails for the sake of its hooks.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

if (process.env.CI === undefined && existsSync(`${root}/.git`)) {
  spawnSync("git", ["config", "core.hooksPath", ".githooks"], { cwd: root, stdio: "ignore" });
}
