import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { APPLICATION_ID, identityOf, SCHEMA_VERSION } from "../../../src/adapters/sqlite/migrate.ts";
import { isOlder } from "../../../src/adapters/sqlite/open.ts";
import { type TemporaryFile, temporaryFile } from "./temporary.ts";

let file: TemporaryFile;
let database: Database;
beforeAll(() => {
  file = temporaryFile();
  database = new Database(file.path);
});
afterAll(() => {
  database.close();
  file.remove();
});

test("every table is strict", () => {
  const tables = database.prepare("SELECT name, strict FROM pragma_table_list WHERE schema = 'main'").all();
  const own = tables.filter(({ name }) => !String(name).startsWith("sqlite_"));
  expect(own.length).toBeGreaterThan(0);
  for (const table of own) expect(table).toMatchObject({ strict: 1 });
});

test("a commit reaches the disk before it is acknowledged: write-ahead log, synchronous=FULL", () => {
  expect(database.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
  expect(database.prepare("PRAGMA synchronous").get()).toEqual({ synchronous: 2 });
});

test("a new file has the application id and the version of the schema", () => {
  expect(identityOf(database)).toEqual({ applicationId: APPLICATION_ID, version: SCHEMA_VERSION });
});

test("opening it again changes nothing", () => {
  const again = new Database(file.path);
  expect(identityOf(again)).toEqual({ applicationId: APPLICATION_ID, version: SCHEMA_VERSION });
  again.close();
});

describe("a page of pets is read by an index:", () => {
  test.each([
    "id > 5 ORDER BY id LIMIT 20",
    "status = 'sold' AND id > 5 ORDER BY id LIMIT 20",
    "id IN (SELECT value FROM json_each('[1,2]')) AND id > 0 ORDER BY id LIMIT 20",
  ])("%s", (where) => {
    const plan = database.prepare(`EXPLAIN QUERY PLAN SELECT id, name, category_id, status FROM pets WHERE ${where}`);
    const steps = plan.all().map(({ detail }) => String(detail));
    expect(steps.filter((step) => step.startsWith("SCAN pets") || step.includes("TEMP B-TREE"))).toEqual([]);
    expect(steps.join("\n")).toContain("SEARCH pets");
  });
});

test.each([
  ["3.51.2", true],
  ["3.51.3", false],
  ["3.51.10", false],
  ["3.9.9", true],
  ["3.54.0", false],
  ["4.0", false],
  ["3.51", true],
])("SQLite %s is too old: %p", (version, expected) => {
  expect(isOlder(version, "3.51.3")).toBe(expected);
});
