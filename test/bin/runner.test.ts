import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { findNode } from "../../bin/runtime.js";
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

/** Makes a project with the runner and these files. */
function projectOf(files: Record<string, string>): string {
  const root = temporaryDirectory();
  cpSync(join(ROOT, "bin"), join(root, "bin"), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  const all = {
    "package.json": '{"type":"module"}',
    "test/support/bundle.ts": "",
    "test/support/serve-postgres.ts": 'console.log("none"); process.stdin.resume().once("end", () => process.exit());',
    ...files,
  };
  for (const [path, contents] of Object.entries(all)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), contents);
  }
  return root;
}

/** A project with the runner, a file of two tests that pass, and more files that hang than run at a time. */
let project: string;
beforeAll(() => {
  project = projectOf({
    [`${TESTS}/a.test.ts`]: 'import { test } from "bun:test"; test("one", () => {}); test("two", () => {});',
    ...Object.fromEntries(["b", "c", "d", "e", "f", "g"].map((name) => [`${TESTS}/${name}.test.ts`, HANGING])),
  });
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
      stream.setEncoding("utf8").on("data", (more: string) => {
        printed += more;
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

/** Test files, and the runs that they belong to, each with the runtime and the store of the service. */
const LONG_ONE = ["long bun sqlite"];
const WITHOUT_STORE = ["short bun sqlite", "node node sqlite"];
const OVER_HTTP = [...WITHOUT_STORE, "postgres bun postgres"];
const belonging: Record<string, string[]> = {
  "test/domain/one.test.ts": ["short bun sqlite"],
  "test/attack/one.test.ts": WITHOUT_STORE,
  "test/attack/slow.long.test.ts": [...LONG_ONE, "long:node node sqlite"],
  "test/browser/one.long.test.ts": LONG_ONE,
  "test/adapters/http/one.test.ts": OVER_HTTP,
  "test/adapters/http/one.long.test.ts": LONG_ONE,
  "test/adapters/http/admin/one.test.ts": OVER_HTTP,
  "test/adapters/http/admin/audited-pets.long.test.ts": [...LONG_ONE, "long bun postgres"],
  "test/adapters/http/simulation.test.ts": OVER_HTTP,
  "test/adapters/http/simulated-codes.test.ts": OVER_HTTP,
  "test/adapters/http/simulated-cuts.test.ts": WITHOUT_STORE,
  "test/adapters/http/simulated-delays.test.ts": WITHOUT_STORE,
  "test/adapters/http/document.test.ts": WITHOUT_STORE,
  "test/adapters/http/compressed.test.ts": WITHOUT_STORE,
  "test/adapters/http/guide/one.test.ts": WITHOUT_STORE,
  "client/test/calls/one.test.ts": ["client bun sqlite"],
};

test("each run has the tests that belong to it, and on no other runtime or store, and removes its temporary files", async () => {
  const record = join(temporaryDirectory(), "directories");
  const other = projectOf(
    Object.fromEntries(
      Object.keys(belonging).map((path) => [
        path,
        `import { test } from "bun:test";
         import { appendFileSync } from "node:fs";
         const { RUN_OF_TESTS, PETSTORE_RUNTIME, PETSTORE_TEST_STORE } = process.env;
         // What the runner has started and made, and a directory that it removes.
         const { PETSTORE_TEST_POSTGRES, PETSTORE_TEST_MAIN, PETSTORE_TEST_SERVICE, TMPDIR } = process.env;
         if (PETSTORE_TEST_POSTGRES !== "none" || PETSTORE_TEST_MAIN !== \`\${process.cwd()}/dist/main.js\`) throw new Error("other");
         if (!PETSTORE_TEST_SERVICE.startsWith(process.cwd())) throw new Error("other");
         appendFileSync("${record}", TMPDIR + "\\n");
         const ran = \`\${RUN_OF_TESTS} \${PETSTORE_RUNTIME} \${PETSTORE_TEST_STORE}\\n\`;
         test("is run", () => appendFileSync(\`\${import.meta.path}.ran\`, ran));`,
      ]),
    ),
  );
  await Promise.all(
    [
      ...new Set(
        Object.values(belonging)
          .flat()
          .map((one) => one.split(" ")[0] ?? ""),
      ),
    ].map(async (run) => {
      const env = { ...process.env, CI: "false", RUN_OF_TESTS: run };
      const runner = spawn("node", ["bin/test.js", run], { cwd: other, env, stdio: ["ignore", "pipe", "inherit"] });
      const [printed, [code]] = await Promise.all([text(runner.stdout), once(runner, "close")]);
      expect([run, code, printed]).toEqual([run, 0, expect.stringMatching(/ passed, 0 failed, /)]);
    }),
  );
  const used = new Set(readFileSync(record, "utf8").trim().split("\n"));
  expect(used.size).toBeGreaterThanOrEqual(4);
  expect([...used].filter((path) => existsSync(path))).toEqual([]);
  const ranOf = (path: string) => (existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : []);
  const hasNode = findNode() !== undefined;
  for (const [path, runs] of Object.entries(belonging)) {
    const expected = runs.filter((one) => hasNode || !one.includes(" node "));
    expect([path, ...ranOf(join(other, `${path}.ran`)).sort()]).toEqual([path, ...expected.toSorted()]);
  }
  rmSync(other, { recursive: true });
});

test("a run fails with a test that fails, with an error outside of all tests, and in CI with one that was skipped", async () => {
  const from = 'import { test } from "bun:test"; ';
  const other = projectOf({
    "test/domain/skipped.test.ts": `${from}test("passes", () => {}); test.skip("is skipped", () => {});`,
    "client/test/failing.test.ts": `${from}test("passes", () => {}); test("fails", () => { throw new Error("it"); });`,
    "test/adapters/postgres/broken.test.ts": `${from}test("passes", () => {}); throw new Error("outside");`,
  });
  const outcomeOf = async (run: string, CI: string) => {
    const env = { ...process.env, CI };
    const runner = spawn("node", ["bin/test.js", run], { cwd: other, env, stdio: ["ignore", "pipe", "ignore"] });
    const [printed, [code]] = await Promise.all([text(runner.stdout), once(runner, "close")]);
    return [code, printed.trimEnd().split("\n").at(-1)];
  };
  const outcomes = [
    await outcomeOf("short", "false"),
    await outcomeOf("short", "true"),
    await outcomeOf("client", "false"),
    await outcomeOf("postgres", "false"),
  ];
  expect(outcomes).toEqual([
    [0, "1 passed, 0 failed, 1 skipped"],
    [1, "1 passed, 0 failed, 1 skipped"],
    [1, "1 passed, 1 failed, 0 skipped"],
    [1, expect.stringMatching(/^\d passed, [1-9] failed, 0 skipped$/)],
  ]);
  rmSync(other, { recursive: true });
});
