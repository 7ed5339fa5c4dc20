import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findNode } from "../../bin/runtime.js";
import { CHROMIUM } from "../browser/chromium.ts";
import { states } from "../support/markdown.ts";
import { pack } from "../support/pack.ts";
import { temporaryDirectory } from "../support/temporary.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SAMPLES = join(ROOT, "samples/testing");
/** The samples that npm installs. */
const samples = readdirSync(SAMPLES).filter((name) => existsSync(join(SAMPLES, name, "package.json")));
/** The oldest Node whose `node:sqlite` needs no flag. */
const OLDEST_NODE = "22.13.0";

/** How long npm, and the tests of a sample, may take, in ms. */
const PATIENCE = 240_000;

/** The newest Node on this machine comes first: the tools run on it. */
const PATH = [dirname(findNode() ?? process.execPath), process.env.PATH].join(delimiter);

/** Without the mark of Bun's test workers, which Playwright takes for Jest's. */
const { JEST_WORKER_ID: _, ...environment } = process.env;

type Outcome = { status: number | null; output: string };

function run(cwd: string, command: string[], env: Record<string, string> = {}): Outcome {
  const [program = "", ...args] = command;
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    encoding: "utf8",
    env: { ...environment, PATH, CI: "true", ...env },
    timeout: PATIENCE,
  });
  return { status, output: stdout + stderr };
}

const npmInstall = ["npm", "install", "--no-audit", "--no-fund", "--silent"];
const succeeds = (command: string[]) => run(ROOT, command).status === 0;
/** What a failed run printed. */
const failureOf = ({ status, output }: Outcome) => (status === 0 ? "" : `${status}: ${output}`);

const isOnline = succeeds(["npm", "view", "jest", "version"]);
const hasPip = succeeds(["python3", "-m", "venv", "--help"]);
const hasGo = succeeds(["go", "version"]);
if (!isOnline) console.log("skipped: the samples need tools from the npm registry, which does not answer");
if (CHROMIUM === undefined) console.log("skipped: the sample for Playwright needs Chromium");
if (!hasPip) console.log("skipped: the sample for pytest needs Python 3 with venv");
if (!hasGo) console.log("skipped: the sample for Go needs Go");

describe.skipIf(!isOnline)("with the package that npm pack makes,", () => {
  const directory = temporaryDirectory();
  const place = (...names: string[]) => join(directory, ...names);
  const petstore = { PETSTORE: place("node_modules/.bin/petstore") };
  beforeAll(() => {
    const packed = pack(directory);
    cpSync(SAMPLES, directory, { recursive: true });
    for (const name of samples) {
      const text = readFileSync(place(name, "package.json"), "utf8");
      const local = text.replace(/("@petstore\/server": )"[^"]+"/, `$1"file:${place(packed.filename)}"`);
      writeFileSync(place(name, "package.json"), local);
    }
    // One installation for all of them.
    const project = { private: true, workspaces: samples };
    writeFileSync(place("package.json"), JSON.stringify(project));
    expect(failureOf(run(directory, npmInstall))).toBe("");
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test.each(samples.filter((name) => name !== "playwright"))("the sample for %s passes", (name) =>
    expect(failureOf(run(place(name), ["npm", "test"]))).toBe(""),
  );

  test.skipIf(CHROMIUM === undefined)("the sample for playwright passes", () =>
    expect(failureOf(run(place("playwright"), ["npm", "test"], { CHROMIUM: CHROMIUM ?? "" }))).toBe(""),
  );

  test(`the samples for node:test and Jest pass on Node ${OLDEST_NODE}`, () => {
    const node = place("node");
    mkdirSync(node);
    writeFileSync(join(node, "package.json"), '{"private":true,"allowScripts":{"node":true}}');
    expect(failureOf(run(node, [...npmInstall, `node@${OLDEST_NODE}`]))).toBe("");
    const program = join(node, "node_modules/.bin/node");
    expect(run(node, [program, "--version"]).output).toBe(`v${OLDEST_NODE}\n`);
    expect(failureOf(run(place("node-test"), [program, "--test"]))).toBe("");
    expect(failureOf(run(place("jest"), [program, place("node_modules/.bin/jest")]))).toBe("");
  });

  test("a Node without SQLite hears which one it needs, for ES modules and CommonJS", () => {
    states("docs/testing.md", "It runs on Bun and on Node 22.13 or newer, which has SQLite without a flag.");
    for (const load of ['import("@petstore/server/testing")', 'require("@petstore/server/testing")']) {
      const { status, output } = run(directory, ["node", "--no-experimental-sqlite", "--eval", load]);
      expect(status).toBe(1);
      expect(output).toContain("Error: @petstore/server/testing needs Bun, or Node 22.13 or newer.\n");
    }
  });

  test("a pet store works while a test replaces all timers and the clock", () => {
    states("docs/testing.md", "A pet store keeps its own timers and clock: it works while a test replaces all timers,");
    writeFileSync(
      place("vitest", "replaced-timers.test.js"),
      `import { startPetstore } from "@petstore/server/testing";
import { expect, test, vi } from "vitest";
test("works", async () => {
  const before = await startPetstore();
  vi.useFakeTimers({ now: 0 });
  for (const store of [before, await startPetstore()]) {
    const headers = { Authorization: \`Bearer \${store.key}\`, "Content-Type": "application/json" };
    const created = await fetch(\`\${store.url}/pets\`, { method: "POST", headers, body: '{"name":"小黑","categoryId":1}' });
    expect(await created.json()).toMatchObject({ id: 21, name: "小黑" });
    expect(Number(created.headers.get("X-RateLimit-Reset"))).toBeGreaterThan(1_700_000_000);
    await store.createKey();
    await store.reset();
    await store.close();
  }
});`,
    );
    expect(failureOf(run(place("vitest"), ["npx", "vitest", "run", "replaced-timers"]))).toBe("");
  });

  test.skipIf(!hasPip)("the sample for pytest passes", () => {
    expect(failureOf(run(directory, ["python3", "-m", "venv", "python"]))).toBe("");
    const install = [place("python/bin/pip"), "install", "--quiet", "--requirement", "pytest/requirements.txt"];
    expect(failureOf(run(directory, install))).toBe("");
    expect(failureOf(run(place("pytest"), [place("python/bin/pytest")], petstore))).toBe("");
  });

  test.skipIf(!hasGo)("the sample for Go passes", () =>
    expect(failureOf(run(place("go"), ["go", "test", "./..."], petstore))).toBe(""),
  );

  const kinds: [string, string, object][] = [
    ["a bundler", "ts", { module: "esnext", moduleResolution: "bundler" }],
    ["ES modules of Node", "mts", { module: "nodenext" }],
    ["CommonJS of Node", "cts", { module: "node16" }],
  ];
  test.each(kinds)("a strict project for %s type-checks", (kind, ending, options) => {
    const project = place(`types ${kind}`);
    mkdirSync(project);
    writeFileSync(join(project, `program.${ending}`), PROGRAM);
    const compilerOptions = {
      target: "es2022",
      lib: ["es2022", "esnext.disposable", "dom"],
      noEmit: true,
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      types: [],
      ...options,
    };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    expect(failureOf(run(project, [join(ROOT, "node_modules/.bin/tsc"), "--project", "."]))).toBe("");
  });
});

const PROGRAM = `import { type ReceivedRequest, startPetstore, type TestPetstore } from "@petstore/server/testing";
export async function program(): Promise<void> {
  await using store: TestPetstore = await startPetstore({ plan: "free", pets: 50, seed: 7 });
  const { id, key } = await store.createKey({ scopes: ["pets:read"], expiresAt: "2030-01-01T00:00:00Z" });
  store.clock.advance({ seconds: 60 });
  store.fail.next("service_unavailable", { times: 2 });
  store.fail.next("delay=100,lost-answer");
  const status: number | undefined = store.requests[0]?.status;
  const all: readonly ReceivedRequest[] = store.requests;
  const categoryId: number | bigint = (await store.createPet({ name: "Rex", categoryId: 1n })).categoryId;
  // @ts-expect-error there is no such plan
  await startPetstore({ plan: "gold" });
  // @ts-expect-error there is no such code
  store.fail.next("teapot");
  // @ts-expect-error what arrived does not change
  store.requests.pop();
  // @ts-expect-error there is no such unit
  store.clock.advance({ years: 1 });
  console.log(id, key, status, all, categoryId);
}
`;
