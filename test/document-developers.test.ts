/** What the documents for developers name is there, and the laws in ARCHITECTURE.md are those that are checked. */
import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import law from "../.dependency-cruiser.mjs";
import { codesIn, pageInOneLine, ROOT, read, says, states, tableOf, withoutBlocks } from "./support/markdown.ts";

const files = spawnSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" })
  .stdout.trim()
  .split("\n")
  .filter((path) => existsSync(join(ROOT, path)) && statSync(join(ROOT, path)).isFile());
const WORD = /[A-Za-z_$][\w$]*/g;
const wordsOf = (text: string): readonly string[] => text.match(WORD) ?? [];
const sources = files.filter(
  (path) => !/\.(png|svg|ndjson|md)$|package-lock|help\.txt$|document-developers/.test(path),
);
const known = new Set([...sources.flatMap((path) => wordsOf(read(path))), ...files.flatMap(wordsOf)]);

/** Names of libraries, runtimes and tools that the project does not use itself. */
const OF_OTHERS = wordsOf(`
  toJSONSchema isTransaction OTEL_BSP_ PID perf UV_THREADPOOL_SIZE smol MIMALLOC_PURGE_DELAY json_group_array
  deprecated_report_extra_memory BUN_JSC_useJITDump BUN_JSC_jitDumpDirectory BUN_JSC_logGC BUN_JSC_useConcurrentGC
  BUN_JSC_maximumFunctionForCallInlineCandidateBytecodeCostForFTL BUN_JSC_percentCPUPerMBForFullTimer BUN_JSC_useFTLJIT
  BUN_JSC_minimumMutatorUtilization BUN_JSC_concurrentGCMaxHeadroom BUN_JSC_useJIT BUN_JSC_largeHeapSize
`);
const FILE = /(?<![\w.*…-])(?:[\w.-]+\/)*\.?[\w-]+(?:\.[\w-]+)*\.(?:ts|tsx|mjs|yml|yaml|toml|json|txt)\b/g;
/** Files of examples, and of what is made. */
const MADE = /^(request\.json|openapi\.json|\/?openapi\.json)$/;

const pages = [
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  ...["stores", "known-traps", "benchmarks"].map((name) => `docs/development/${name}.md`),
];

test.each(pages)("%s names nothing that there is not", (page) => {
  const codes = codesIn(withoutBlocks(read(page)));
  expect(codes.flatMap(wordsOf).filter((word) => !known.has(word) && !OF_OTHERS.includes(word))).toEqual([]);
  const named = codes.flatMap((code) => code.match(FILE) ?? []).filter((file) => !MADE.test(file));
  const isThere = (file: string) => files.some((path) => path === file || path.endsWith(`/${file}`));
  expect(named.map((file) => file.replace(/^\.\//, "")).filter((file) => !isThere(file))).toEqual([]);
});

test("ARCHITECTURE.md has the laws that are checked", () => {
  const rule = (name: string) => {
    const found = law.forbidden.find((one: { name: string }) => one.name === name);
    if (found === undefined) throw new Error(`there is no rule ${name}`);
    return JSON.stringify(found);
  };
  const text = pageInOneLine("ARCHITECTURE.md");
  const [, builtin = ""] = /\(node:\)\?\(([\w|]+)\)/.exec(rule("domain-imports-itself")) ?? [];
  const [, library = ""] = /node_modules\/(\w+)\//.exec(rule("domain-imports-itself")) ?? [];
  says(
    text,
    `from outside only ${library} and Node's ${builtin
      .split("|")
      .map((name) => `\`${name}\``)
      .join(" and ")}.`,
  );
  const [, exceptions = ""] = /http\/\(([\w|]+)\)/.exec(rule("adapters-do-not-import-each-other")) ?? [];
  expect(exceptions.split("|")).toEqual(["app", "request", "malformed"]);
  says(
    text,
    "`listen` knows the HTTP app, the types of a request and the responses to what is not HTTP, and `sqlite` and `postgres` import `sql`.",
  );
  const [, engines = ""] = /adapters\/\(([\w|]+)\)/.exec(rule("only-engines-import-sql")) ?? [];
  expect(engines.split("|").toSorted()).toEqual(["postgres", "sql", "sqlite"]);
  // Who may read the environment, and know the process and Bun.
  const { overrides } = JSON.parse(read("biome.json"));
  const of = (pattern: RegExp) =>
    overrides.filter((one: object) => pattern.test(JSON.stringify(one))) as { includes: string[] }[];
  expect(of(/"noProcessEnv":"off"/).map(({ includes }) => includes)).toEqual([["src/commands/**"]]);
  says(
    text,
    "Only `commands/` reads the environment. Only `main.ts` and it know the process; only an adapter's `bun.ts` knows Bun.",
  );
  expect(of(/Only main\.ts and commands/).map(({ includes }) => includes)).toEqual([
    ["src/**", "!src/adapters/*/bun.ts"],
  ]);
  expect(of(/deniedGlobals(?!.*"process")/).map(({ includes }) => includes)).toEqual([
    ["src/main.ts", "src/commands/**"],
  ]);
  says(text, "An `AsyncDisposableStack` closes it in reverse, on stop or a failed start.");
});

test("CONTRIBUTING.md names programs, folders and tests with what a command runs", () => {
  const { scripts } = JSON.parse(read("package.json"));
  const rows = new Map(
    tableOf(read("CONTRIBUTING.md"), "Command", "What it does").map(([command = "", what = ""]) => [
      /npm (?:run )?([\w:-]+)/.exec(command)?.[1] ?? command,
      what,
    ]),
  );
  const program = read("bin/test.js");
  const run = (name: string) =>
    new RegExp(`^  (?:"${name}"|${name}): \\[[\\s\\S]*?^  \\],`, "m").exec(program)?.[0] ?? "";
  for (const [name, , runtime, store] of [
    ["test:node", "node", "node", undefined],
    ["test:postgres", "postgres", "bun", "postgres"],
  ] as const) {
    expect(scripts[name]).toBe(`node bin/test.js ${name.replace("test:", "")}`);
    const part = run(name.replace("test:", ""));
    expect([name, /runtime: "(\w+)"/.exec(part)?.[1], /store: "(\w+)"/.exec(part)?.[1]]).toEqual([
      name,
      runtime,
      store,
    ]);
  }
  expect(rows.get("test:node")).toBe("All tests over HTTP with the service on Node, but those of texts.");
  expect(rows.get("test:postgres")).toStartWith(
    "The tests of PostgreSQL's adapter, and those over HTTP that stores have a part in with the service on PostgreSQL.",
  );
  expect(rows.get("test")).toStartWith("All tests on SQLite except the long ones, with the service on Bun.");
  expect(/short: \[\s*\{ name: "everything on SQLite, the service on Bun", runtime: "bun"/.test(program)).toBe(true);
  // What each program needs is named where it looks for it.
  for (const [name, folder, needs] of [
    ["test:linearizability", "test/linearizability", /\bgo\b/],
    ["test:power-loss", "test/durability", /strace/],
    ["test:faults", "test/faults", /openssl|haproxy/i],
    ["test:patroni", "test/faults/patroni", /etcd/],
    ["test:clock", "test/support/false-clock", /faketime/],
  ] as const) {
    const texts = files
      .filter((path) => path.startsWith(folder))
      .map(read)
      .join("\n");
    expect([name, needs.test(texts), new RegExp(needs.source, "i").test(rows.get(name) ?? "")]).toEqual([
      name,
      true,
      true,
    ]);
  }
  states("CONTRIBUTING.md", '`SHORT` stands for `--path-ignore-patterns="/*.long.test.ts"`');
  expect(basename(scripts["test:crash"])).toBe("crash.ts");
});

test("CONTRIBUTING.md has the options of the programs of its table, and what CI leaves out", () => {
  const { scripts } = JSON.parse(read("package.json"));
  const rows = tableOf(read("CONTRIBUTING.md"), "Command", "What it does");
  const ci = read(".ci/run");
  let options = 0;
  for (const [command = "", what = ""] of rows) {
    const name = /`npm run ([\w:-]+)/.exec(command)?.[1] ?? "";
    const [, file] = /bun ([\w./-]+\.ts)/.exec(scripts[name] ?? "") ?? [];
    const given = codesIn(`${command} ${what}`).flatMap((code) =>
      [...code.matchAll(/(?<= |^)--([a-z]{3,})/g)].map(([, one]) => one ?? ""),
    );
    if (file === undefined || /^(pack|build)/.test(name)) continue;
    const texts = [file, ...(name === "bench" ? ["bench/options.ts"] : [])].map(read).join("\n");
    for (const option of given) {
      options++;
      expect([name, option, new RegExp(`\\b${option}: \\{|"--${option}"`).test(texts)]).toEqual([name, option, true]);
    }
    expect([name, what.includes("is not part of CI")]).toEqual([
      name,
      what.includes("is not part of CI") && !ci.includes(name),
    ]);
  }
  expect(options).toBeGreaterThan(8);
  const left = rows
    .filter(([, what = ""]) => what.includes("not part of CI"))
    .map(([command = ""]) => /`npm run ([\w:-]+)/.exec(command)?.[1]);
  expect(left).toEqual(["test:patroni", "test:postgres-versions"]);
  for (const name of left) expect([name, ci.includes(`${name}`)]).toEqual([name, false]);
  // What a release does first.
  const release = read(".github/workflows/release.yml");
  expect(release.indexOf("prepublishOnly")).toBeGreaterThan(0);
  expect(release.indexOf("prepublishOnly")).toBeLessThan(release.indexOf("build:executable"));
  states("CONTRIBUTING.md", "`npm publish` and the workflow of releases run it first.");
});

/** What docs/development/known-traps.md says that the code does about a trap, with the place that does it. */
const ANSWERS: [statement: string, file: string, does: RegExp][] = [
  ["The service starts Bun with `--no-env-file`.", "bin/runtime.js", /bunBinary\(\), "--no-env-file"/],
  [
    "unless they begin with `// @bun`. `deploy/bundle.ts` has Bun's bundler write this line for Node's bundle, too.",
    "deploy/bundle.ts",
    /"\/\/ @bun"/,
  ],
  ["`domain/json.ts` uses a fatal decoder.", "src/domain/json.ts", /fatal: true/],
  [
    "`listen/parser.ts` gives it POST for a method that it does not know, and the rest is refused.",
    "src/adapters/listen/parser.ts",
    /SUBSTITUTE = Buffer\.from\("POST"\)/,
  ],
  ["the console imports with XMLHttpRequest.", "console/src/pages/pets-import.tsx", /new XMLHttpRequest/],
  ["a worker's messages go through `tellParent`.", "src/commands/workers.ts", /export function tellParent/],
  [
    "A table whose ids clients choose is `WITHOUT ROWID`, which sets no last rowid.",
    "src/adapters/sqlite/migrations.ts",
    /tables\.categories\} STRICT, WITHOUT ROWID/,
  ],
  ["JIT is on by default, and starts by the estimated cost", "src/adapters/postgres/connections.ts", /SET jit = off/],
  [
    "prom-client's `get` calls `getForPromString`, and so does its registry: override the latter.",
    "src/adapters/prometheus/requests.ts",
    /async getForPromString\(\)/,
  ],
  [
    "keeps the process for two seconds after a connection that failed, unless `disconnectTimeout` is shorter.",
    "src/adapters/redis/connect.ts",
    /disconnectTimeout: /,
  ],
  [
    "rejects for good if a `sentinelRetryStrategy` ends the attempts",
    "src/adapters/redis/connect.ts",
    /sentinelRetryStrategy: \(\) => /,
  ],
  [
    "send `Connection: close` on every response for 1.5 s, then stop.",
    "src/wiring/service.ts",
    /CLOSE_NOTICE = 1_500;/,
  ],
  [
    "`seekByPosition` compares columns and id as one row, which only the right index can order",
    "src/adapters/sql/sql.ts",
    /export const seekByPosition/,
  ],
];

test.each(ANSWERS)("docs/development/known-traps.md says what the code does: %s", (statement, file, does) => {
  says(pageInOneLine("docs/development/known-traps.md"), statement);
  expect(read(file)).toMatch(does);
});

test("CONTRIBUTING.md says which store services of tests have, and how long files are", () => {
  const [, set, unset] =
    /PETSTORE_TEST_STORE === "(\w+)" \? "postgres" : "(\w+)"/.exec(read("test/support/store.ts")) ?? [];
  const names: Record<string, string> = { sqlite: "SQLite", postgres: "PostgreSQL" };
  states("CONTRIBUTING.md", `on ${names[unset ?? ""]} unless \`PETSTORE_TEST_STORE\` is \`${set}\`.`);
  const lengths = files
    .filter((path) => /^src\/.*\.ts$/.test(path) && !path.endsWith("llhttp.ts"))
    .map((path) => read(path).split("\n").length);
  const most = lengths.filter((lines) => lines <= 400).length / lengths.length;
  expect(most).toBeGreaterThan(0.9);
  for (const page of ["CONTRIBUTING.md", "ARCHITECTURE.md"]) states(page, "as a rule 100 to 400 lines");
});
