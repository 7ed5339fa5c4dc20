/** What CONTRIBUTING.md and ARCHITECTURE.md list is there. */
import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { operations as administrationOperations } from "../src/adapters/http/admin/operations/index.ts";
import { secondDoor } from "../src/adapters/http/admin/operations/operation.ts";
import { updateOrder } from "../src/adapters/http/operations/orders.ts";
import { codesIn, ROOT, read, states, tableOf, withoutBlocks } from "./support/markdown.ts";

describe("CONTRIBUTING.md", () => {
  const text = read("CONTRIBUTING.md");
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };

  test("has each command of package.json in one row, and no other", () => {
    const rows = tableOf(text, "Command", "What it does").map(([command = ""]) => codesIn(command)[0] ?? "");
    expect(new Set(rows).size).toBe(rows.length);
    const named = [...text.matchAll(/`npm (?:run ([\w:-]+)|(test|start|pack))(?=[ `])/g)].map(
      ([, script, own]) => script ?? own ?? "",
    );
    const ofClient = ["build", "pack"];
    expect(named.filter((name) => scripts[name] === undefined && !ofClient.includes(name))).toEqual([]);
    const before = /^(prepare|prepack|postpack|start)$/;
    expect(Object.keys(scripts).filter((name) => !before.test(name) && !named.includes(name))).toEqual([]);
  });

  test("says of a command what its program is for", () => {
    const words: Record<string, RegExp> = {
      "test:retries": /retry libraries/,
      "test:generators": /generators of other languages/,
      "test:crash": /kill -9/,
      "test:power-loss": /loss of power/,
      "test:faults": /disconnects PostgreSQL, Redis and nodes/,
      "test:patroni": /Patroni/,
      "test:postgres-versions": /PostgreSQL 15, 16 and 17/,
      "test:linearizability": /Porcupine/,
      "test:clock": /clock of a running service/,
      "test:soak": /memory, file descriptors and latency/,
      "test:mutations": /Mutation tests/,
      "test:client": /tarball/,
      "test:long": /\.long\.test\.ts/,
      "test:long:node": /slow clients/,
      "build:console": /console/,
      "build:executable": /executables/,
      screenshots: /docs\/images/,
      unused: /Knip/,
      bench: /Benchmarks/,
    };
    const rows = new Map(
      tableOf(text, "Command", "What it does").map(([command = "", what = ""]) => [
        /npm run ([\w:-]+)/.exec(command)?.[1] ?? command,
        what,
      ]),
    );
    for (const [script, word] of Object.entries(words))
      expect([script, rows.get(script)]).toEqual([script, expect.stringMatching(word)]);
  });

  test("says how an operation gets a second door", () => {
    states(
      "CONTRIBUTING.md",
      "made with `operationWithDoors`, it has a scope and a role, and `secondDoor` in the list of the administration interface.",
    );
    const ofOperators = secondDoor(updateOrder);
    expect(updateOrder).toMatchObject({ scope: "orders:write", role: "admin" });
    expect(ofOperators).toMatchObject({ id: updateOrder.id, role: "admin" });
    expect(Object.keys(ofOperators)).not.toContain("scope");
    expect(administrationOperations.map(({ id }) => id)).toContain(updateOrder.id);
  });

  test("has the shares of faults that must be noticed", () => {
    const percent = (share?: string) => `${Math.round(Number(share) * 100)} %`;
    const [, required] =
      /required: \{ type: "string", default: "([\d.]+)" \}/.exec(read("test/mutations/run.ts")) ?? [];
    const [, ofSample] = /--required ([\d.]+)/.exec(read(".ci/mutations")) ?? [];
    states(
      "CONTRIBUTING.md",
      `fails if less than ${percent(required)} are noticed`,
      `fails below ${percent(ofSample)} if`,
    );
  });

  test("names files and folders that exist", () => {
    const paths = codesIn(withoutBlocks(text))
      .flatMap((code) => code.split(/[ ,;]/))
      .map((word) => word.replace(/^\.\//, "").replace(/#.*|\/$/g, ""))
      .filter(
        (word) =>
          /^(test|src|client|docs|console|deploy|bench|bin|\.ci)\/[\w./-]+$/.test(word) && word !== "client/dist",
      );
    expect(paths.length).toBeGreaterThan(20);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

/** Packages under other names than those of their choice. */
const CALLED: Record<string, string> = {
  "@biomejs/biome": "Biome",
  typescript: "TypeScript 7",
  undici: "undici",
};

const chosenParts = tableOf(read("ARCHITECTURE.md"), "Part", "Choice", "Brings", "Reason");
const words = (choice: string) => choice.split(/[^\w@/*.-]+/).map((word) => word.toLowerCase());
const isChosen = (name: string, choice: string) =>
  choice.includes(CALLED[name] ?? "no other name") ||
  words(choice).includes(name) ||
  words(choice).some((word) => word.endsWith("/*") && name.startsWith(word.slice(0, -1)));

type Locked = {
  [needs in "dependencies" | "optionalDependencies" | "peerDependencies"]?: Record<string, string>;
} & { peerDependenciesMeta?: Record<string, { optional?: boolean }>; os?: string[]; cpu?: string[]; libc?: string[] };

/** How many packages npm installs on Linux for these: of what depends on the platform, that of x64 with glibc. */
function installedFor(names: string[]): number {
  const packages: Record<string, Locked> = JSON.parse(read("package-lock.json")).packages;
  const found = (name: string, from: string): string => {
    const path = `${from}${from && "/"}node_modules/${name}`;
    if (path in packages || from === "") return path;
    return found(name, from.slice(0, Math.max(0, from.lastIndexOf("/node_modules/"))));
  };
  const isOfPlatform = ({ os = ["linux"], cpu = ["x64"], libc = ["glibc"] }: Locked) =>
    os.includes("linux") && cpu.includes("x64") && libc.includes("glibc");
  const seen = new Set<string>();
  const add = (path: string) => {
    const its = packages[path];
    if (its === undefined || !isOfPlatform(its) || seen.has(path)) return;
    seen.add(path);
    const peers = Object.keys(its.peerDependencies ?? {}).filter((name) => !its.peerDependenciesMeta?.[name]?.optional);
    const needed = [...Object.keys({ ...its.dependencies, ...its.optionalDependencies }), ...peers];
    for (const name of needed) add(found(name, path));
  };
  for (const name of names) add(found(name, ""));
  return seen.size;
}

test.each(chosenParts)("ARCHITECTURE.md has what npm installs for %s", (_, choice = "", brings = "") => {
  const { dependencies, devDependencies } = JSON.parse(read("package.json"));
  const chosen = Object.keys({ ...dependencies, ...devDependencies })
    .filter((name) => isChosen(name, choice))
    // What else of it is used is part of it.
    .filter((name) => name !== "bun" || choice.startsWith("Bun"));
  // llhttp is copied from undici.
  const installed = choice.startsWith("llhttp") ? 0 : installedFor(chosen);
  if (brings.startsWith("`")) expect(existsSync(join(ROOT, codesIn(brings)[0] ?? "?"))).toBe(true);
  else expect(brings).toBe(`${installed}`);
});

test("ARCHITECTURE.md has each package that is installed, in the row of what installs it, and nothing twice", () => {
  const rows = new Map(chosenParts.map(([part = "", choice = ""]) => [part, choice]));
  const installedIn = (path: string) => JSON.parse(read(`${path}package.json`));
  const { dependencies, devDependencies } = installedIn("");
  const packagesOf = new Map([
    ["Types, format, lint", devDependencies],
    ["Tests", devDependencies],
    ["Client, in tests", installedIn("client/").devDependencies],
    ["Clients of others, in tests", installedIn("test/clients/libraries/").dependencies],
    ["Benchmarks, screenshots", installedIn("bench/contenders/").dependencies],
  ]);
  for (const part of packagesOf.keys()) expect([...rows.keys()]).toContain(part);
  // Types, libraries that another one in the row needs, those that only the tests of a rule compare with, and other versions.
  const beside = (name: string) => /^(@types\/|hono$|axios$|typescript$)/.test(name);
  for (const [others, its] of [
    [false, dependencies] as const,
    ...new Set([...packagesOf].map(([part]) => [true, packagesOf.get(part)] as const)),
  ]) {
    const parts = [...rows].filter(([part]) => (others ? packagesOf.get(part) === its : !packagesOf.has(part)));
    const missing = Object.keys(its).filter(
      (name) => !beside(name) && !parts.some(([, choice]) => isChosen(name, choice)),
    );
    expect(missing.filter((name) => name !== "undici")).toEqual([]);
  }
  const all = [...rows.values()].flatMap((choice) => words(choice)).filter((word) => word.length > 4);
  const known = Object.keys({ ...dependencies, ...devDependencies });
  expect(known.filter((name) => all.filter((word) => word === name).length > 1)).toEqual([]);
});

test("ARCHITECTURE.md names the versions that are installed, and the oldest SQLite", () => {
  const text = read("ARCHITECTURE.md");
  const versions: [name: string, written: RegExp][] = [
    ["typescript", /TypeScript (\d+)/],
    ["zod", /\bzod (\d+)/],
    ["@opentelemetry/core", /@opentelemetry\/\* (\d+)/],
    ["@hey-api/openapi-ts", /@hey-api\/openapi-ts (\d+\.\d+)/],
  ];
  const { dependencies, devDependencies } = JSON.parse(read("package.json"));
  const all = { ...JSON.parse(read("client/package.json")).devDependencies, ...dependencies, ...devDependencies };
  for (const [name, written] of versions) {
    const [, version = "?"] = written.exec(text) ?? [];
    const installed: string = all[name].replace(/^[~^]/, "");
    expect([name, version, installed.startsWith(`${version}.`)]).toEqual([name, version, true]);
  }
  const [, oldest] = /MIN_SQLITE_VERSION = "([\d.]+)"/.exec(read("src/adapters/sqlite/open.ts")) ?? [];
  expect(text).toContain(`SQLite older than ${oldest} is refused`);
});

test("ARCHITECTURE.md has each folder, and names what is in it", () => {
  const rows = tableOf(read("ARCHITECTURE.md"), "Folder", "Contents");
  const named = rows.map(([folders = "", contents = ""]) => {
    const [first = "", ...others] = codesIn(folders);
    // Those after the first are beside it.
    const beside = (one: string) => (existsSync(join(ROOT, one)) ? one : join(dirname(first), one));
    return { folders: [first, ...others.map(beside)], contents };
  });
  const listed = spawnSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" }).stdout.trim().split("\n");
  const paths = new Set(
    listed.flatMap((path) => path.split("/").map((_, at, parts) => parts.slice(0, at + 1).join("/"))),
  );
  for (const { folders, contents } of named) {
    for (const folder of folders) expect([folder, paths.has(folder.replace(/\/$/, ""))]).toEqual([folder, true]);
    const inside = codesIn(contents).filter((code) => /^[\w-]+(\/|\.ts)$|^(pages|components|api)$/.test(code));
    const isThere = (name: string) =>
      [...paths].some(
        (path) => folders.some((folder) => path.startsWith(folder)) && path.endsWith(`/${name.replace(/\/$/, "")}`),
      );
    expect([folders, inside.filter((name) => !isThere(name))]).toEqual([folders, []]);
  }
  const all = named.flatMap(({ folders }) => folders.map((folder) => folder.replace(/\/$/, "")));
  const isCovered = (path: string) => all.some((folder) => folder === path || folder.startsWith(`${path}/`));
  const below = (folder: string) =>
    [...paths].filter((path) => dirname(path) === folder && [...paths].some((one) => one.startsWith(`${path}/`)));
  expect(
    [...below("."), ...below("src"), ...below("src/adapters")].filter((path) => !/^\./.test(path) && !isCovered(path)),
  ).toEqual([]);
});
