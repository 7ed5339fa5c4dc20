import { afterEach, beforeEach, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../support/temporary.ts";

const ROOT = join(import.meta.dir, "../..");

let project: string;
beforeEach(() => {
  project = temporaryDirectory();
  cpSync(join(ROOT, "bin"), join(project, "bin"), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(project, "node_modules"));
  writeFileSync(join(project, "package.json"), '{"type":"module"}');
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

/** Runs what `npm install` runs in a checkout whose console is built by this program; undefined: it has none yet. */
function buildWith(program: string | undefined) {
  if (program !== undefined) {
    mkdirSync(join(project, "console"));
    writeFileSync(join(project, "console/build.ts"), program);
  }
  const { PATH } = process.env;
  const { status, stdout } = spawnSync("node", ["bin/console.js"], { cwd: project, env: { PATH }, encoding: "utf8" });
  return { status, stdout };
}

test("an installation builds the console, if there is one", () => {
  expect(buildWith(undefined)).toEqual({ status: 0, stdout: "" });
  expect(buildWith('console.log("built" as string);')).toEqual({ status: 0, stdout: "built\n" });
});

test.each([
  ["fails", "process.exit(3);", 3],
  ["is killed", 'process.kill(process.pid, "SIGKILL"); await Bun.sleep(60_000);', 1],
])("an installation fails when the build %s", (_, program, status) => {
  expect(buildWith(program).status).toBe(status);
});

test("Bun gets no settings from a file .env", () => {
  writeFileSync(join(project, ".env"), "PETSTORE_FROM_FILE=1\n");
  expect(buildWith("console.log(process.env.PETSTORE_FROM_FILE);").stdout).toBe("undefined\n");
});
