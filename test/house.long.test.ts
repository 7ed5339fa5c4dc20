import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import type { ICruiseResult } from "dependency-cruiser";
import law from "../.dependency-cruiser.mjs";
import { states } from "./support/markdown.ts";

const root = join(import.meta.dir, "..");
const CRUISER = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
const LAW = join(root, ".dependency-cruiser.mjs");
const LINTER = join(root, "node_modules/.bin/biome");

type Files = Record<string, string>;

/** For each article of the law, a small house that breaks it. */
const breaches: Record<string, Files> = {
  "domain-imports-itself": {
    "src/domain/pets/pet.ts": 'import type { App } from "../../adapters/http/app.ts";',
    "src/adapters/http/app.ts": "",
  },
  "adapters-import-the-domain": {
    "src/adapters/http/app.ts": 'import type { Config } from "../../wiring/config.ts";',
    "src/wiring/config.ts": "",
  },
  "wiring-imports-adapters-and-domain": {
    "src/wiring/service.ts": 'import { serve } from "../commands/serve.ts";',
    "src/commands/serve.ts": "",
  },
  "adapters-do-not-import-each-other": {
    "src/adapters/memory/limiter.ts": 'import type { Database } from "../sqlite/database.ts";',
    "src/adapters/sqlite/database.ts": "",
  },
  "only-listen-imports-the-app": {
    "src/adapters/memory/limiter.ts": 'import type { App } from "../http/app.ts";',
    "src/adapters/http/app.ts": "",
  },
  "only-engines-import-sql": {
    "src/adapters/http/app.ts": 'import type { Sql } from "../sql/sql.ts";',
    "src/adapters/sql/sql.ts": "",
  },
  "three-floors-and-no-more": { "src/main.ts": 'import "./helpers/text.ts";', "src/helpers/text.ts": "" },
  "nothing-imports-testing": {
    "src/commands/demo.ts": 'import { startPetstore } from "../testing.ts";',
    "src/testing.ts": "",
  },
  "one-file-imports-bun": { "src/adapters/http/app.ts": 'import { serve } from "bun";' },
  "sqlite-stays-in-its-folder": { "src/wiring/service.ts": 'import { DatabaseSync } from "node:sqlite";' },
  "pg-stays-in-its-folder": {
    "package.json": '{ "dependencies": { "pg": "8" } }',
    "node_modules/pg/package.json": '{ "name": "pg", "main": "index.js" }',
    "node_modules/pg/index.js": "",
    "src/wiring/service.ts": 'import pg from "pg";',
  },
  "ioredis-stays-in-its-folder": {
    "package.json": '{ "dependencies": { "ioredis": "6" } }',
    "node_modules/ioredis/package.json": '{ "name": "ioredis", "main": "index.js" }',
    "node_modules/ioredis/index.js": "",
    "src/wiring/service.ts": 'import { Redis } from "ioredis";',
  },
  "prom-client-stays-in-its-folder": {
    "package.json": '{ "dependencies": { "prom-client": "15" } }',
    "node_modules/prom-client/package.json": '{ "name": "prom-client", "main": "index.js" }',
    "node_modules/prom-client/index.js": "",
    "src/wiring/service.ts": 'import { Registry } from "prom-client";',
  },
  "opentelemetry-stays-in-its-folder": {
    "package.json": '{ "dependencies": { "@opentelemetry/api": "1" } }',
    "node_modules/@opentelemetry/api/package.json": '{ "name": "@opentelemetry/api", "main": "index.js" }',
    "node_modules/@opentelemetry/api/index.js": "",
    "src/adapters/http/app.ts": 'import { trace } from "@opentelemetry/api";',
  },
  "tracing-is-loaded-on-demand": {
    "src/wiring/service.ts": 'import { Tracing } from "../adapters/opentelemetry/tracing.ts";',
    "src/adapters/opentelemetry/tracing.ts": "export class Tracing {}",
  },
  "no-process-import": { "src/wiring/config.ts": 'import process from "node:process";' },
  "product-imports-no-tests": { "src/main.ts": 'import "../test/support/client.ts";', "test/support/client.ts": "" },
  "product-needs-no-development-dependency": {
    "package.json": '{ "devDependencies": { "fast-check": "1" } }',
    "node_modules/fast-check/package.json": '{ "name": "fast-check", "main": "index.js" }',
    "node_modules/fast-check/index.js": "",
    "src/main.ts": 'import fc from "fast-check";',
  },
  "everything-imported-exists": { "src/main.ts": 'import "./nowhere.ts";' },
  "no-circles-of-files": {
    "src/domain/pets/pet.ts": 'import type { Page } from "./listing.ts";',
    "src/domain/pets/listing.ts": 'import type { Pet } from "./pet.ts";',
  },
  "no-circles-of-folders": {
    "src/domain/pets/pet.ts": 'import type { Key } from "../keys/key.ts";',
    "src/domain/keys/key.ts": "",
    "src/domain/keys/store.ts": 'import type { Page } from "../pets/listing.ts";',
    "src/domain/pets/listing.ts": "",
  },
};

let site = "";
beforeAll(() => {
  site = mkdtempSync(join(tmpdir(), "petstore-house-"));
});
afterAll(() => rmSync(site, { recursive: true, force: true }));

/** A house of these files alone. Gives the directory that it stands in. */
function build(files: Files): string {
  const house = mkdtempSync(join(site, "house-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(house, path)), { recursive: true });
    writeFileSync(join(house, path), text);
  }
  return house;
}

/** What there is to say of the imports in the house at `place`. Runs on the Node that runs npm: on Bun the cruiser's parser does not load. */
function cruise(place: string): ICruiseResult {
  const args = [CRUISER, "src", "--config", LAW, "--output-type", "json"];
  const { stdout, stderr } = spawnSync("node", args, { cwd: place, encoding: "utf8", maxBuffer: 2 ** 26 });
  if (!stdout.startsWith("{")) throw new Error(`the cruiser gave no result: ${stdout}${stderr}`);
  return JSON.parse(stdout) as ICruiseResult;
}

test("the house keeps the law of imports", () => {
  const { modules, summary } = cruise(root);
  expect(summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`)).toEqual([]);
  // What is imported for its types alone is an import too, and was seen.
  const app = modules.find(({ source }) => source === "src/adapters/http/app.ts");
  expect(app?.dependencies.map(({ resolved }) => resolved)).toContain("src/domain/keys/key.ts");
});

describe("the law can be broken:", () => {
  test("every article has a breach here", () => {
    states(
      "ARCHITECTURE.md",
      "Adapters do not import each other, with two exceptions:",
      "Errors are values of one type from one catalogue (`domain/errors.ts`). Only the HTTP edge turns them into responses.",
    );
    states(
      "ARCHITECTURE.md",
      "Imports run down only: main, commands and testing → wiring → adapters → domain.",
      "`.dependency-cruiser.mjs` and `biome.json` express laws 1 and 7; `test/house.long.test.ts` shows that each rule can fail.",
    );
    expect(Object.keys(breaches).sort()).toEqual(law.forbidden.map(({ name }) => name).sort());
  });

  test.each(Object.entries(breaches))("%s", (article, files) => {
    const { violations } = cruise(build(files)).summary;
    expect(violations.map(({ rule }) => rule.name)).toContain(article);
  });
});

test("what `using` declares is seen: SWC's visitor by itself fails at it", () => {
  const files = {
    "src/wiring/service.ts": 'await using log = await import("../commands/log.ts");\nusing file = log.file();',
    "src/commands/log.ts": "",
  };
  expect(cruise(build(files)).summary.violations).toMatchObject([{ to: "src/commands/log.ts" }]);
});

/** For each global: a text that uses it, where that may stand, and where it may not. */
const globals = [
  {
    name: "Bun",
    text: "export const version = Bun.version;\n",
    allowed: ["src/adapters/listen/bun.ts"],
    refused: ["src/adapters/http/app.ts", "src/wiring/service.ts"],
  },
  {
    name: "process",
    text: "export const id = process.pid;\n",
    allowed: ["src/commands/serve.ts", "src/main.ts"],
    refused: ["src/wiring/config.ts", "src/adapters/http/app.ts", "src/domain/keys/key.ts", "src/wiring/service.ts"],
  },
  {
    name: "the environment",
    text: "export const home = process.env.HOME;\n",
    allowed: ["src/commands/serve.ts"],
    refused: ["src/wiring/config.ts", "src/adapters/http/app.ts", "src/main.ts", "src/wiring/service.ts"],
  },
];

describe("the linter keeps a global to few files:", () => {
  test.each(globals)("$name", ({ text, allowed, refused }) => {
    const house = build(Object.fromEntries([...allowed, ...refused].map((path) => [path, text])));
    for (const file of ["biome.json", ".gitignore"]) copyFileSync(join(root, file), join(house, file));
    const { stdout } = spawnSync(LINTER, ["lint", "--reporter=github"], { cwd: house, encoding: "utf8" });
    const found = [...stdout.matchAll(/^::error .*file=([^,]+),/gm)].map(([, path = ""]) =>
      relative(house, resolve(house, path)),
    );
    expect([...new Set(found)].sort()).toEqual(refused.toSorted());
  });
});
