import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseAllDocuments } from "yaml";
import { PLATFORMS } from "../../deploy/platforms.ts";
import { variables } from "../../src/wiring/config.ts";
import { codesIn } from "../support/markdown.ts";

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
