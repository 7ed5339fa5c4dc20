import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseAllDocuments } from "yaml";
import { PLATFORMS } from "../../deploy/platforms.ts";
import { variables } from "../../src/wiring/config.ts";
import { codesIn } from "../support/markdown.ts";
import { temporaryDirectory } from "../support/temporary.ts";

const ROOT = join(import.meta.dir, "../..");
const files = readdirSync(join(ROOT, ".github"), { recursive: true, encoding: "utf8" });

function parse(path: string) {
  const [document, ...others] = parseAllDocuments(readFileSync(join(ROOT, ".github", path), "utf8"));
  expect(others).toEqual([]);
  expect([...(document?.errors ?? []), ...(document?.warnings ?? [])]).toEqual([]);
  return document?.toJS();
}

test.each(files.filter((path) => path.endsWith(".yml")))(".github/%s is valid YAML", (path) => {
  expect(parse(path)).toBeObject();
});

test("the workflow runs .ci/run, which is executable", () => {
  const { jobs } = parse("workflows/ci.yml");
  expect(jobs.everything.steps.map(({ run }: { run?: string }) => run)).toContain(".ci/run");
  expect(statSync(join(ROOT, ".ci/run")).mode & 0o111).toBe(0o111);
  // Twice the time that it takes on two idle cores.
  const [, minutes] =
    /CI runs everything in (\d+) minutes/.exec(readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8")) ?? [];
  expect(jobs.everything["timeout-minutes"]).toBeGreaterThanOrEqual(2 * Number(minutes));
});

test("npm installs and starts the program on each Node that it promises, from the oldest on", () => {
  const { jobs } = parse("workflows/ci.yml");
  const { engines } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const { node } = jobs.install.strategy.matrix;
  expect(engines.node).toBe(`>=${Math.min(...node)}`);
  expect(node).toContain(24);
  const versions = jobs.install.steps.map(({ with: options }: { with?: object }) => options).filter(Boolean);
  expect(versions).toEqual([{ "node-version": expect.stringContaining("matrix.node") }]);
  expect(String(jobs.everything.steps[1].with["node-version"])).toBe(String(Math.min(...node)));
});

test("a release has the executable of every platform, which has run there", () => {
  const { on, jobs } = parse("workflows/release.yml");
  expect(on).toEqual({ push: { tags: ["v*"] } });
  const commands = jobs.build.steps.map(({ run }: { run?: string }) => run);
  expect(commands).toContain("npm run build:executable");
  const { include } = jobs.try.strategy.matrix;
  const tried = include.map(({ platform }: { platform: string }) => platform.replace(".exe", ""));
  expect(tried).toEqual(PLATFORMS);
  expect([jobs.try.needs, jobs.release.needs]).toEqual(["build", "try"]);
});

test("dependabot checks every package, but that of libraries whose versions a document names", () => {
  const [npm] = parse("dependabot.yml").updates;
  const locks = [".", ".ci/*", "*", "bench/*"].flatMap((parent) => [
    ...new Bun.Glob(`${parent}/package-lock.json`).scanSync({ cwd: ROOT, dot: true }),
  ]);
  const directories = [...new Set(locks)]
    .filter((path) => !path.includes("node_modules"))
    .map((path) => join("/", dirname(path)));
  expect(npm.directories.toSorted()).toEqual(directories.toSorted());
});

test("an issue form has fields with unique ids", () => {
  for (const name of ["bug", "feature"]) {
    const { body, ...form } = parse(`ISSUE_TEMPLATE/${name}.yml`);
    expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) });
    const ids = body.flatMap(({ id }: { id?: string }) => id ?? []);
    expect(ids.length).toBeGreaterThan(1);
    expect(new Set(ids).size).toBe(ids.length);
  }
});

test("the form for a bug offers each runtime and each store", () => {
  const fields: { id?: string; attributes: { options?: string[] } }[] = parse("ISSUE_TEMPLATE/bug.yml").body;
  const optionsOf = (wanted: string) => fields.find(({ id }) => id === wanted)?.attributes.options;
  const textOf = (name: string) => variables.find((variable) => variable.name === name)?.text ?? "";
  const runtimes = codesIn(textOf("PETSTORE_RUNTIME")).filter((code) => /^[a-z]+$/.test(code));
  expect(optionsOf("runtime")?.map((option) => option.toLowerCase())).toEqual([...runtimes, "executable"]);
  const stores = textOf("DATABASE_URL").match(/(?<=`)(sqlite|postgres)(?=:)/g);
  expect(stores).toEqual(["sqlite", "postgres", "sqlite"]);
  expect(optionsOf("store")).toEqual(["SQLite", "PostgreSQL", "PostgreSQL and Redis"]);
});

type Step = { uses?: string; run?: string; if?: string; with?: Record<string, unknown>; env?: Record<string, string> };
const stepsUsing = (steps: Step[], action: string) => steps.filter(({ uses = "" }) => uses.startsWith(`${action}@`));

test("each executable is tried on the system and the processor that it is for", () => {
  const { jobs } = parse("workflows/release.yml");
  for (const { os, platform } of jobs.try.strategy.matrix.include) {
    const system = os.startsWith("macos") ? "darwin" : os.startsWith("ubuntu") ? "linux" : "windows";
    // GitHub's machines with macOS have Apple silicon, unless they say otherwise.
    const isArm = os.endsWith("-arm") || (system === "darwin" && !os.endsWith("-intel"));
    expect(platform.replace(".exe", "")).toBe(`${system}-${isArm ? "arm64" : "x64"}`);
    expect(platform.endsWith(".exe")).toBe(system === "windows");
  }
  const { if: only } = jobs.try.steps.find(({ run = "" }: Step) => run.startsWith("codesign"));
  expect(only).toBe("runner.os == 'macOS'");
  // Windows has a shell of its own.
  expect(jobs.try["runs-on"]).toContain(" matrix.os ");
  expect(jobs.try.defaults.run.shell).toBe("bash");
});

test("what a job of the release uploads is what the next ones download, and what is released; nothing else may write", () => {
  const { jobs, permissions } = parse("workflows/release.yml");
  const [upload] = stepsUsing(jobs.build.steps, "actions/upload-artifact");
  expect(upload?.with).toMatchObject({ path: "dist/executables", "if-no-files-found": "error" });
  const downloads = [jobs.try, jobs.release].flatMap(({ steps }) => stepsUsing(steps, "actions/download-artifact"));
  expect(downloads.map((step) => step.with?.name)).toEqual([upload?.with?.name, upload?.with?.name]);
  const [create] = jobs.release.steps.filter(({ run = "" }: Step) => run.startsWith("gh release create"));
  expect(create.run).toContain(` ${downloads[1]?.with?.path}/*`);
  expect(Object.keys(create.env)).toEqual(["GH_TOKEN", "GH_REPO"]);
  const names = Object.keys(jobs);
  expect([permissions, ...names.map((name) => jobs[name].permissions)]).toEqual([
    { contents: "read" },
    undefined,
    undefined,
    { contents: "write" },
  ]);
  const commands = jobs.build.steps.map(({ run }: Step) => run);
  expect(commands.indexOf("npm run --silent prepublishOnly")).toBeWithin(
    1,
    commands.indexOf("npm run build:executable"),
  );
});

test("CI runs for each change and each proposal of one, and may write nothing", () => {
  const { on, permissions, jobs, concurrency } = parse("workflows/ci.yml");
  expect(on).toEqual({ push: { branches: ["main"] }, pull_request: null });
  expect(permissions).toEqual({ contents: "read" });
  expect(concurrency["cancel-in-progress"]).toBe(true);
  const [install] = jobs.install.steps.filter(({ run = "" }: Step) => run.startsWith("npm install"));
  const tried = (printed: string) =>
    spawnSync("bash", ["-e", "-o", "pipefail", "-c", install.run.replace("npm install", `printf '${printed}'`)], {
      cwd: directory,
    }).status;
  const directory = temporaryDirectory();
  expect([tried("added 3 packages"), tried("npm warn deprecated")]).toEqual([0, 1]);
  rmSync(directory, { recursive: true });
});

test("dependabot looks for new versions of packages and of actions, each week", () => {
  const { updates } = parse("dependabot.yml");
  const all = updates.map((one: Record<string, unknown>) => [one["package-ecosystem"], Object(one.schedule).interval]);
  expect(all).toEqual([
    ["npm", "weekly"],
    ["github-actions", "weekly"],
  ]);
  expect(updates[1].directory).toBe("/");
  expect(Object(updates[0].groups).minor["update-types"]).toEqual(["minor", "patch"]);
});

test("who reports a bug or proposes a change finds what the forms name", () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const template = readFileSync(join(ROOT, ".github/pull_request_template.md"), "utf8");
  const named = codesIn(template).flatMap((code) => /^npm (?:run )?(\S+)$/.exec(code)?.[1] ?? []);
  expect(named).toEqual(["test", "lint", "types"]);
  expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  const texts = files
    .filter((path) => /\.(md|yml)$/.test(path) && !path.startsWith("workflows"))
    .map((path) => readFileSync(join(ROOT, ".github", path), "utf8"));
  const documents = texts.join().match(/\b[A-Z]+\.md\b/g) ?? [];
  expect(documents.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  expect(documents).toContain("SECURITY.md");
  const fields: { id?: string; validations?: { required: boolean } }[] = parse("ISSUE_TEMPLATE/bug.yml").body;
  const required = fields.filter(({ validations }) => validations?.required).map(({ id }) => id);
  expect(required).toEqual(["happened", "expected", "version"]);
  expect([parse("ISSUE_TEMPLATE/bug.yml").labels, parse("ISSUE_TEMPLATE/feature.yml").labels]).toEqual([
    ["bug"],
    ["enhancement"],
  ]);
});
