import { afterEach, beforeEach, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../support/temporary.ts";

const ROOT = join(import.meta.dir, "../..");
const { PATH } = process.env;

let project: string;
beforeEach(() => {
  project = temporaryDirectory();
  cpSync(join(ROOT, "bin/hooks.js"), join(project, "bin/hooks.js"));
  writeFileSync(join(project, "package.json"), '{"type":"module"}');
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

/** Runs what `npm install` runs in a checkout, or where git or the tools of developers are not; returns where git looks for hooks. */
function hooksAfter({ git = true, tools = true, env = {} }: { git?: boolean; tools?: boolean; env?: object }) {
  if (git) spawnSync("git", ["init", "--quiet"], { cwd: project, env: { PATH, HOME: project } });
  if (tools) {
    mkdirSync(join(project, "node_modules/.bin"), { recursive: true });
    writeFileSync(join(project, "node_modules/.bin/biome"), "");
  }
  const { status, stdout, stderr } = spawnSync("node", ["bin/hooks.js"], {
    // From any directory, as npm does.
    cwd: project,
    env: { PATH, HOME: project, ...env },
    encoding: "utf8",
  });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
  const options = ["config", "--local", "core.hooksPath"];
  return spawnSync("git", options, { cwd: project, env: { PATH, HOME: project }, encoding: "utf8" }).stdout.trim();
}

test("an installation in a checkout has git run the checks before each commit", () => {
  const path = hooksAfter({});
  expect(statSync(join(ROOT, path, "pre-commit")).mode & 0o111).toBe(0o111);
});

test.each([
  ["in CI", { env: { CI: "true" } }],
  ["without the tools that the checks need", { tools: false }],
  ["of an archive, which has no git", { git: false }],
])("an installation %s changes no hooks", (_, how) => {
  expect(hooksAfter(how)).toBe("");
});
