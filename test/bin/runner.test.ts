import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";
import { temporaryDirectory } from "../support/temporary.ts";

const ROOT = join(import.meta.dir, "../..");
const TESTS = "test/adapters/http";
/** The runner runs so many files at a time. */
const AT_A_TIME = 4;
const HANGING = `
import { test } from "bun:test";
test("hangs", async () => {
  await Bun.write(\`\${import.meta.path}.began\`, "");
  await Bun.sleep(1_000_000);
});`;

/** A project with the runner, a file of two tests that pass, and more files that hang than run at a time. */
let project: string;
beforeAll(() => {
  project = temporaryDirectory();
  for (const directory of ["test/support", TESTS]) mkdirSync(join(project, directory), { recursive: true });
  cpSync(join(ROOT, "bin"), join(project, "bin"), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(project, "node_modules"));
  const serve = 'console.log("none"); process.stdin.resume().once("end", () => process.exit());';
  const files = {
    "package.json": '{"type":"module"}',
    "test/support/bundle.ts": "",
    "test/support/serve-postgres.ts": serve,
    [`${TESTS}/a.test.ts`]: 'import { test } from "bun:test"; test("one", () => {}); test("two", () => {});',
    ...Object.fromEntries(["b", "c", "d", "e", "f", "g"].map((name) => [`${TESTS}/${name}.test.ts`, HANGING])),
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(join(project, path), text);
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)(
  "%s stops the tests, which then say what ran, what was interrupted, and what had not started",
  async (signal, exitCode) => {
    const directory = join(project, TESTS);
    const began = () => readdirSync(directory).filter((name) => name.endsWith(".began"));
    for (const name of began()) rmSync(join(directory, name));
    const runner = spawn("node", [join(project, "bin/test.js")], {
      cwd: project,
      stdio: ["ignore", "pipe", "pipe"],
      // Of its own group, which a terminal or `timeout` signals as a whole.
      detached: true,
    });
    let printed = "";
    for (const stream of [runner.stdout, runner.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
      });
    }
    const ended = once(runner, "close");
    await eventually(() => began().length === AT_A_TIME);
    process.kill(-(runner.pid ?? 0), signal);
    expect(await ended).toEqual([exitCode, null]);
    expect(printed).toContain("Interrupted while still running:");
    expect(printed).toContain("2 file(s) had not started:");
    expect(printed).toContain(`Stopped by ${signal}`);
    expect(printed.trimEnd().split("\n").at(-1)).toBe("2 passed, 4 failed, 0 skipped");
  },
);
