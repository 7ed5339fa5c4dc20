import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";
import { readConfig } from "../../src/wiring/config.ts";
import { hasCaddy, validateCaddyfile } from "../support/caddy.ts";
import { hasHaproxy, makeCertificate } from "../support/haproxy.ts";
import { states } from "../support/markdown.ts";
import { temporaryDirectory } from "../support/temporary.ts";
import { type Block, comparable, examplesIn, programsIn, resultOf } from "./blocks.ts";
import { documents } from "./pages.ts";
import { deploymentOf, hasTools, PACKAGES, Reader } from "./reader.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** What is in no language that is run, and why it is looked at only. */
const SHOWN: Record<string, string> = {
  text: "what the program above prints, to which that is held",
  ts: "languages.long.test.ts runs it",
  python: "languages.long.test.ts runs it",
  go: "languages.long.test.ts runs it",
  http: "headers, as they stand in the answers of the sessions that are run",
};

/** Commands that are not run as they stand, by how they begin, and why. */
const LEFT: Record<string, string> = {
  "npm install --omit=dev && npm start":
    "a test would install over itself; .ci/run installs on a fresh machine, test/commands starts",
  "sudo install": "systemd does not run here",
  "journalctl --unit=petstore": "systemd does not run here",
  "sed 's/petstore\\.env": "systemd does not run here",
  "alias petstore='sudo systemd-run": "systemd does not run here",
  "petstore database backup before-upgrade.db": "systemd does not run here",
  "export DATABASE_URL=postgres://":
    "its servers are elsewhere; test/nodes and test/commands/workers.long.test.ts have their own",
  "docker ": "there is no container engine; test/deploy validates the files",
  "echo PETSTORE_HOST": "there is no container engine; test/deploy validates the files",
  "cat certificate.pem": "there is no container engine; test/deploy validates the files",
  "kubectl ": "there is no cluster; test/deploy/kubernetes.long.test.ts builds the objects",
  "helm install": "there is no cluster; test/deploy/kubernetes.long.test.ts renders the chart",
  "claude mcp add": "it is a program of others; test/adapters/http/mcp.test.ts calls with the protocol's own client",
  "npx @modelcontextprotocol/inspector": "it brings 110 MB; test/adapters/http/mcp.test.ts calls with the client in it",
  "apt-get install nginx": "it is the benchmark, which .ci/run runs",
  "PETSTORE_DEPLOYMENT=staging npx --no petstore staging reset":
    "the database of an example is production's; test/commands/staging-reset.test.ts runs it",
  "npx --no petstore requests show fbd34c95":
    "they are for requests that nobody has made; test/commands/requests.long.test.ts runs them",
  "npx --no petstore pets list --status":
    "they are one of each, for pets and orders that do not exist; test/commands runs them",
};

/** Commands for which the service has to be stopped. */
const WHILE_STOPPED = /^npx --no petstore database restore /m;

/** How long what starts several processes may take, in ms. */
const PATIENCE = 60_000;

const leftBy = ({ text }: Block) => Object.keys(LEFT).find((beginning) => text.startsWith(beginning));
const isRun = (block: Block) => ["console", "sh"].includes(block.language) && leftBy(block) === undefined;
const all = documents.flatMap(({ path, blocks }) => blocks.map((block) => ({ ...block, path })));
const of = (language: string) => all.filter((block) => block.language === language);

test("every block says its language, and is run, checked, or left for a reason", () => {
  states(
    "CONTRIBUTING.md",
    "`console` | Commands after `$`, and their output.",
    "`sh` | Commands that must succeed.",
    "`test/examples` runs each example in the README and in `docs/`, in order, with a new service per page",
  );
  const known = ["console", "sh", "ini", "json", "yaml", "haproxy", "caddy", ...Object.keys(SHOWN)];
  expect(all.filter(({ language }) => !known.includes(language))).toEqual([]);
  expect([...new Set(all.map(leftBy).filter((beginning) => beginning !== undefined))].sort()).toEqual(
    Object.keys(LEFT).sort(),
  );
  expect(all.filter(isRun).length).toBeGreaterThan(30);
  expect(of("ts").filter(({ prints }) => prints !== "")).toHaveLength(of("text").length);
});

test.each(of("ini"))("settings at $path:$line are understood", ({ text }) => {
  const env = Object.fromEntries([...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
  expect(Object.keys(env).length).toBeGreaterThan(0);
  expect(() => readConfig(env)).not.toThrow();
});

test("JSON and YAML are what they say", () => {
  for (const { text } of of("json")) expect(() => JSON.parse(text)).not.toThrow();
  const parsed = of("yaml").flatMap(({ text }) => parseAllDocuments(text));
  expect(parsed.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
});

test.skipIf(!hasHaproxy).each(of("haproxy"))("HAProxy takes what is at $path:$line", ({ text }) => {
  const directory = temporaryDirectory();
  makeCertificate(directory);
  const file = join(directory, "haproxy.cfg");
  writeFileSync(file, text.replace("/etc/haproxy/certs/api.example.com.pem", join(directory, "both.pem")));
  const env = { PATH: `${process.env.PATH}:/usr/sbin` };
  const { status, stderr } = spawnSync("haproxy", ["-c", "-f", file], { encoding: "utf8", env });
  expect({ status, alerts: stderr.match(/^\[(ALERT|WARNING)\].*$/gm) }).toEqual({ status: 0, alerts: null });
  rmSync(directory, { recursive: true });
});

test.skipIf(!hasCaddy).each(of("caddy"))("Caddy takes what is at $path:$line", ({ text }) => {
  const directory = temporaryDirectory();
  const file = join(directory, "Caddyfile");
  writeFileSync(file, text);
  expect(validateCaddyfile(file, directory)).toMatchObject({ status: 0 });
  rmSync(directory, { recursive: true });
});

test("programs in TypeScript are correct under the strictest rules", () => {
  states(
    "CONTRIBUTING.md",
    "`ts` compiles under `strict`, `go` is formatted. The `text` block below it is its output.",
  );
  const directory = temporaryDirectory();
  symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
  mkdirSync(join(directory, "examples"));
  writeFileSync(join(directory, "package.json"), '{"type": "module"}');
  const programs = documents.flatMap(({ path, blocks }) =>
    programsIn(blocks, "ts")
      .filter(({ language }) => language === "ts")
      .map((program) => ({ ...program, path })),
  );
  for (const [i, { path, line, text }] of programs.entries()) {
    const name = `${path.replaceAll("/", "-")}-${line}-${i}.ts`;
    writeFileSync(join(directory, "examples", name), `${text}\nexport {};\n`);
  }
  const settings = {
    extends: join(ROOT, "tsconfig.json"),
    compilerOptions: { paths: PACKAGES },
    include: ["examples"],
  };
  writeFileSync(join(directory, "tsconfig.json"), JSON.stringify(settings));
  const tsc = join(ROOT, "node_modules/.bin/tsc");
  expect(spawnSync(tsc, ["--project", directory], { encoding: "utf8" })).toMatchObject({ stdout: "", status: 0 });
  rmSync(directory, { recursive: true });
});

if (!hasTools) console.log("skipped: the examples in the documents are not run, without curl and jq on this machine");

/** Runs a block, and holds the output of each command to that in the document, both as `seen` sees them. */
async function follow(reader: Reader, block: Block, seen: (output: string) => string): Promise<void> {
  if (block.language === "console") {
    for (const { command, output } of examplesIn(block)) {
      const { status, stdout } = await reader.shell(command);
      expect({ command, output: seen(stdout) }).toEqual({ command, output: seen(output) });
      expect(status).toBe(0);
    }
    return;
  }
  const isStopped = WHILE_STOPPED.test(block.text);
  if (isStopped) await reader.stop();
  const outcome = await reader.shell(block.text);
  expect({ ...outcome, stdout: "" }).toEqual({ status: 0, stdout: "", stderr: "" });
  if (block.prints !== "") expect(seen(outcome.stdout)).toBe(seen(block.prints));
  if (isStopped) await reader.start();
}

describe.skipIf(!hasTools).each(documents.filter(({ blocks }) => blocks.some(isRun)))(
  "one after the other, the examples of $path do what they say:",
  ({ path, blocks }) => {
    const reader = new Reader(deploymentOf(read(path)));
    beforeAll(() => reader.begin());
    afterAll(() => reader.end());

    test.each(blocks.filter(isRun))("line $line, $language", (block) => follow(reader, block, comparable));
  },
);

/** The guides for clients, without those of staging: its database is another one. */
const guides = [...(/## Call it\n(.*?)\n## /s.exec(read("docs/README.md"))?.[1] ?? "").matchAll(/\]\(([\w-]+\.md)\)/g)]
  .map(([, name]) => documents.find(({ path }) => path === `docs/${name}`))
  .filter((guide) => guide !== undefined)
  .filter(({ path }) => deploymentOf(read(path)) === "production");

/** Above each guide has a database of its own. Here the later ones, as they come first, show what they need of the earlier ones. */
describe.skipIf(!hasTools)(
  "on one database, in reverse order, the examples of a guide have the results that it says:",
  () => {
    const reader = new Reader();
    beforeAll(() => reader.begin());
    afterAll(() => reader.end());

    test.each(guides.toReversed())(
      "$path",
      async ({ blocks }) => {
        for (const block of blocks.filter(isRun)) await follow(reader, block, resultOf);
      },
      5 * PATIENCE,
    );
  },
);
