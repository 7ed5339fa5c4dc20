// Sets up the git hooks of lefthook.yml after `npm install` in a checkout. Where there is no git, or no development
// dependencies, there is nothing to do; and an installation never fails for the sake of its hooks.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const lefthook = fileURLToPath(new URL("../node_modules/lefthook/bin/index.js", import.meta.url));

if (process.env.CI === undefined && existsSync(`${root}/.git`) && existsSync(lefthook)) {
  spawnSync(process.execPath, [lefthook, "install"], { cwd: root, stdio: "ignore" });
}
