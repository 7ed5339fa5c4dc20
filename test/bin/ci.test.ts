/** The scripts of `.ci`, with programs of the tests in the place of those that they call. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { codesIn, read } from "../support/markdown.ts";
import { temporaryDirectory } from "../support/temporary.ts";

const ROOT = join(import.meta.dir, "../..");
const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

/**
 * Notes how it was called, and makes an environment of Python as `python3 -m venv` does. Fails as often as FAILURES says when its
 * call has the word FAILING.
 */
const PROGRAM = `#!/bin/bash
echo "$(basename "$0") $*" >>"$CALLS"
[ "$2" != venv ] || { mkdir -p "$3/bin" && cp "$0" "$3/bin/pip"; }
[[ " $* " == *" $FAILING "* ]] && [ "$(grep -cF -- " $FAILING" "$CALLS")" -le "$FAILURES" ] && exit 3
exit 0
`;

let project: string;
beforeEach(() => {
  project = temporaryDirectory();
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

/** Runs a script of `.ci` where these are the programs. `failing`: a word of the call that fails, so often at first. */
function run(
  script: string,
  programs: string[],
  { failing = "none", failures = 100, path = process.env.PATH ?? "" } = {},
) {
  cpSync(join(ROOT, ".ci", script), join(project, ".ci", script));
  for (const program of programs) {
    mkdirSync(dirname(join(project, program)), { recursive: true });
    writeFileSync(join(project, program), PROGRAM, { mode: 0o755 });
  }
  const calls = join(project, "calls");
  writeFileSync(calls, "");
  const env = {
    HOME: project,
    CALLS: calls,
    FAILING: failing,
    FAILURES: `${failures}`,
    TMPDIR: project,
    PATH: `${project}/bin:${path}`,
  };
  const { status, stdout, stderr } = spawnSync("/bin/bash", [`.ci/${script}`], { cwd: project, env, encoding: "utf8" });
  return { status, stdout, stderr, calls: readFileSync(calls, "utf8").trim().split("\n") };
}

describe(".ci/run", () => {
  const programs = ["bin/npm", "bin/go", "bin/git", "bin/python3", "node_modules/bun/bin/bun.exe"];
  const runAll = (failing?: string) => {
    mkdirSync(join(project, "test/linearizability/check"), { recursive: true });
    return run("run", [...programs, ".ci/packages", ".ci/install", ".ci/schemathesis"], { failing });
  };

  test("runs each check of package.json, but those of which CONTRIBUTING.md says that they are no part of it", () => {
    const { status, stdout, calls } = runAll();
    expect([status, stdout]).toEqual([0, expect.stringMatching(/\n\d+ passed, 0 failed, 0 skipped\n$/)]);
    expect(stdout).not.toContain("not applicable");
    const words = calls.flatMap((call) => call.split(" "));
    const ran = Object.keys(scripts).filter((name) => words.includes(name));
    const within = ran.map((name) => scripts[name] ?? "").join(" ");
    const others = read("CONTRIBUTING.md")
      .split("\n")
      .filter((row) => row.startsWith("| ") && row.includes("not part of CI"))
      .flatMap((row) => codesIn(row)[0]?.replace("npm run ", "") ?? []);
    const checks = Object.keys(scripts).filter((name) => /^(?:test|lint|types|unused|bench)\b/.test(name));
    // CI tries a sample of the mutations.
    const expected = checks.filter((name) => !others.includes(name) && name !== "test:mutations");
    expect(others.length).toBeGreaterThan(0);
    expect(expected.filter((name) => !ran.includes(name) && !within.includes(`npm run --silent ${name}`))).toEqual([]);
    expect(calls).toContainEqual(expect.stringContaining("redis-latency"));
    expect(calls.filter((call) => /^(?:packages|install|schemathesis) /.test(call))).toHaveLength(3);
  });

  test("uses the machine's own npm, also when the tools have one", () => {
    const tools = join(project, ".ci/tools/node_modules/.bin");
    mkdirSync(tools, { recursive: true });
    writeFileSync(join(tools, "npm"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    expect(runAll().status).toBe(0);
  });

  test("goes on when a step fails, and fails in the end", () => {
    const { status, stdout, calls } = runAll("types:others");
    const [last = ""] = stdout.trimEnd().split("\n").slice(-1);
    expect([status, last]).toEqual([1, expect.stringContaining(" passed, 1 failed, 0 skipped")]);
    // The last steps run beside each other.
    expect(calls.filter((call) => call.startsWith("schemathesis "))).toHaveLength(1);
  });

  test.each([
    ["everything passes", undefined],
    ["a step fails", "types:others"],
  ])("leaves the checkout as open as it was, and no files of its own, when %s", (_, failing) => {
    chmodSync(project, 0o750);
    runAll(failing);
    expect((statSync(project).mode & 0o777).toString(8)).toBe("750");
    const programs = [".ci", "bin", "calls", "node_modules", "test"];
    expect(readdirSync(project).sort()).toEqual(programs);
  });
});

describe(".ci/packages", () => {
  /** Where nothing is installed, and the user is not root. */
  const install = (failures: number) => {
    const tools = ["bash", "grep", "basename"].map((name) => [name, Bun.which(name) ?? ""] as const);
    for (const [name, program] of tools) {
      mkdirSync(join(project, "bin"), { recursive: true });
      writeFileSync(join(project, "bin", name), `#!/bin/bash\nexec ${program} "$@"\n`, { mode: 0o755 });
    }
    const found = ["sudo", "sleep", "id"].map((name) => `bin/${name}`);
    return run("packages", found, { failing: "update", failures, path: "" });
  };

  test("installs what is missing, and tries three times", () => {
    const { status, calls } = install(2);
    expect(status).toBe(0);
    expect(calls.filter((call) => call.includes(" update"))).toHaveLength(3);
    const installed = calls.filter((call) => call.includes(" install "));
    expect(installed).toEqual([expect.stringMatching(/ --no-install-recommends .*\bredis-server\b/)]);
  });

  test("fails when it could not", () => {
    const { status, calls, stderr } = install(100);
    expect([status, stderr]).toEqual([1, expect.stringContaining("Attempt 3 failed.")]);
    expect(calls.filter((call) => call.includes(" install "))).toEqual([]);
  });
});
