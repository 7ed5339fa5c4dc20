#!/usr/bin/env node
// `npm test`: all tests with the service on Bun and SQLite. `npm run test:node`: those over HTTP with the service on Node, but those
// of texts. `npm run test:postgres`: those of PostgreSQL, and those over HTTP that stores have a part in. `npm run test:long`: long
// tests. `npm run test:long:node`: those over HTTP with the service on Node. `npm run test:client`: the client's.
// Prints the total counts at the end. With CI=true a skipped test fails the run. SIGINT (Ctrl-C) and SIGTERM stop it: it says
// which files were interrupted and which had not started, and counts what ran.
// This file must run on every Node that npm supports.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findNode, runtimeCommand } from "./runtime.js";

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

const PROJECT = fileURLToPath(new URL("..", import.meta.url));
/** The suffix of files with long tests, which run separately. */
const LONG = ".long.test.ts";
/** Tests over HTTP of texts, which are the same on each runtime. */
const TEXTS = ["guide/{pages,documents}.test.ts"];
/** Tests over HTTP of what no store has a part in: what every response is like, and what is prepared at the start. */
const STORELESS = ["guide/**", "document.test.ts", "compressed.test.ts", "simulated-{cuts,delays}.test.ts"];
/** The tests of PostgreSQL's adapter. */
const POSTGRES = "test/adapters/postgres/";
/** @param {string[]} names */
const overHttp = (names) => names.map((name) => `test/adapters/http/${name}`);
/** @typedef {{ name: string, runtime: string, store?: string, paths: string[], except?: string[] }} Part */
/** @type {Record<string, Part[]>} */
const runs = {
  short: [
    { name: "everything on SQLite, the service on Bun", runtime: "bun", paths: ["./test/"], except: [`${POSTGRES}**`] },
  ],
  node: [
    {
      name: "everything over HTTP, the service on Node",
      runtime: "node",
      paths: ["./test/adapters/http/", "./test/attack/"],
      except: overHttp(TEXTS),
    },
  ],
  postgres: [
    {
      name: "PostgreSQL's adapter, and what stores have a part in over HTTP, the service on Bun and PostgreSQL",
      runtime: "bun",
      store: "postgres",
      paths: [`./${POSTGRES}`, "./test/adapters/http/"],
      except: overHttp(STORELESS),
    },
  ],
  long: [
    { name: "long tests, the service on Bun", runtime: "bun", paths: [LONG] },
    {
      name: "long tests, the service on PostgreSQL",
      runtime: "bun",
      store: "postgres",
      paths: [`audited-pets${LONG}`],
    },
  ],
  "long:node": [{ name: "long tests over HTTP, the service on Node", runtime: "node", paths: [`slow${LONG}`] }],
  client: [{ name: "the client", runtime: "bun", paths: ["./client/test/"] }],
};
const [, , run = "short"] = process.argv;

/** The directory of all temporary files of the tests. It is removed at the end, also after a crash of a test. */
const directory = mkdtempSync(join(tmpdir(), "petstore-test-run-"));
// Run by root, the PostgreSQL server runs as another user, who needs to traverse this directory.
chmodSync(directory, 0o711);
/** @type {import("node:child_process").ChildProcess | undefined} */
let running;
/** The directory of what tests start: within the checkout, as it resolves packages. */
const bundles = join(PROJECT, "node_modules/.cache", basename(directory));
process.on("exit", () => {
  for (const path of [directory, bundles]) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
});
/** How long the tests may take to stop by the signal that their process group has, in ms, before they get another one. */
const STOP_PATIENCE = 1_000;
/** @type {"SIGINT" | "SIGTERM" | undefined} */
let stoppedBy;
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) {
  process.on(signal, () => {
    if (stoppedBy !== undefined) process.exit(exitCodeOf(signal));
    stoppedBy = signal;
    setTimeout(() => running?.kill("SIGTERM"), STOP_PATIENCE).unref();
  });
}

buildBundles();
const server = await startPostgres();

/** @type {Counts} */
const total = { passed: 0, failed: 0, skipped: 0 };
for (const { name, runtime, store = "sqlite", paths, except = [] } of runs[run] ?? []) {
  if (stoppedBy !== undefined) {
    console.log(`\n== ${name}: did not start`);
    continue;
  }
  console.log(`\n== ${name}`);
  if (runtime === "node" && findNode() === undefined) {
    console.log("skipped: there is no Node 24 or newer on the PATH");
    total.skipped += 1;
    continue;
  }
  const startedAt = performance.now();
  const counts = await runTests(runtime, store, paths, except);
  for (const key of /** @type {(keyof Counts)[]} */ (["passed", "failed", "skipped"])) total[key] += counts[key];
  console.log(`== ${name}: ${inWords(counts)}, in ${Math.round((performance.now() - startedAt) / 1000)} s`);
}
await server.stop();
const isSkippingAllowed = process.env.CI !== "true";
if (total.skipped > 0 && !isSkippingAllowed) console.log("\nWith CI=true nothing may be skipped.");
if (stoppedBy !== undefined) console.log(`\nStopped by ${stoppedBy}: tests that were interrupted count as failed.`);
console.log(`\n${inWords(total)}`);
process.exitCode = total.failed > 0 || (total.skipped > 0 && !isSkippingAllowed) ? 1 : 0;
if (stoppedBy !== undefined) process.exit(exitCodeOf(stoppedBy));

/** @param {"SIGINT" | "SIGTERM"} signal */
function exitCodeOf(signal) {
  return signal === "SIGINT" ? 130 : 143;
}

/** Bundles what tests start. */
function buildBundles() {
  const [bun = ""] = runtimeCommand("bun");
  const { status } = spawnSync(bun, ["test/support/bundle.ts", bundles], { cwd: PROJECT, stdio: "inherit" });
  if (status !== 0) process.exit(stoppedBy === undefined ? 1 : exitCodeOf(stoppedBy));
}

/**
 * Starts a PostgreSQL server that all test processes share.
 * @returns {Promise<{ url: string, stop: () => Promise<unknown> }>}
 */
async function startPostgres() {
  const [bun = ""] = runtimeCommand("bun");
  const child = spawn(bun, ["test/support/serve-postgres.ts"], {
    cwd: PROJECT,
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, TMPDIR: directory },
  });
  const [url] = await once(child.stdout, "data");
  const ended = once(child, "exit");
  const stop = () => {
    child.stdin.end();
    return ended;
  };
  return { url: String(url).trim(), stop };
}

/**
 * Runs the tests under these paths; failures are printed as they come.
 * @param {string} runtime
 * @param {string} store
 * @param {string[]} paths
 * @param {string[]} except
 * @returns {Promise<Counts>}
 */
async function runTests(runtime, store, paths, except) {
  const report = join(directory, `${runtime}-${store}.xml`);
  const [bun = ""] = runtimeCommand("bun");
  const options = [
    "--only-failures",
    "--no-orphans",
    // What a preloaded module sets holds for the first file only.
    "--timeout=300000",
    "--parallel=4",
    // Isolation would load the sources again for each file, which takes a fifth of the time.
    "--no-isolate",
    ...[...(run.startsWith("long") ? [] : [`**/*${LONG}`]), ...except].map(
      (pattern) => `--path-ignore-patterns=${pattern}`,
    ),
    "--reporter=junit",
    `--reporter-outfile=${report}`,
  ];
  running = spawn(bun, ["test", ...options, ...paths], {
    cwd: PROJECT,
    stdio: ["ignore", "inherit", "inherit"],
    env: {
      ...process.env,
      PETSTORE_RUNTIME: runtime,
      PETSTORE_TEST_MAIN: join(PROJECT, "dist/main.js"),
      PETSTORE_TEST_SERVICE: join(bundles, "serve-with-clock.mjs"),
      PETSTORE_TEST_STORE: store,
      PETSTORE_TEST_POSTGRES: server.url,
      TMPDIR: directory,
    },
  });
  const child = running;
  const code = await new Promise((resolve) => child.on("exit", resolve).on("error", resolve));
  const counts = countsIn(report);
  // An error outside of all tests fails the run, but the report does not count it.
  return code === 0 || counts.failed > 0 ? counts : { ...counts, failed: 1 };
}

/**
 * Reads the counts from a JUnit report; zeros if there is none.
 * @param {string} report
 * @returns {Counts}
 */
function countsIn(report) {
  let head = "";
  try {
    head = /<testsuites [^>]*>/.exec(readFileSync(report, "utf8"))?.[0] ?? "";
  } catch {
    console.error("The tests ended without a report.");
  }
  const [tests, failed, skipped] = ["tests", "failures", "skipped"].map((name) =>
    Number(new RegExp(` ${name}="(\\d+)"`).exec(head)?.[1] ?? 0),
  );
  return { passed: (tests ?? 0) - (failed ?? 0) - (skipped ?? 0), failed: failed ?? 0, skipped: skipped ?? 0 };
}

/** @param {Counts} counts */
function inWords({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
