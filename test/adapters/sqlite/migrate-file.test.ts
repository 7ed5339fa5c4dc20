import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { currentVersion } from "../../../src/adapters/sql/sql.ts";
import { migrateDatabase, schemaOf } from "../../../src/adapters/sqlite/migrate-file.ts";
import { migrations } from "../../../src/adapters/sqlite/migrations.ts";
import { lockForServing, lockOutServices } from "../../../src/adapters/sqlite/serving-lock.ts";
import { read } from "../../support/markdown.ts";
import { nextOnSqlite } from "../../support/next-schema.ts";
import { openThisSchema } from "./older-schema.ts";
import { type TemporaryFile, temporaryFile } from "./temporary.ts";

const CURRENT = currentVersion(migrations);

let file: TemporaryFile;
beforeEach(() => {
  file = temporaryFile();
});
afterEach(() => file.remove());

test("a service that uses an older schema keeps it until it stops", () => {
  openThisSchema(file.path).close();
  const next = { ...file, migrations: nextOnSqlite };
  {
    using _ = lockForServing(file);
    expect(() => migrateDatabase(next)).toThrow("is in use. Stop the service");
    const page = read("docs/upgrading.md").replaceAll(/\s+/g, " ");
    expect(page).toInclude("on SQLite it refuses while a service uses the older schema.");
    expect(schemaOf(next)).toEqual({ version: CURRENT, current: CURRENT + 1 });
  }
  expect(migrateDatabase(next)).toEqual({ from: CURRENT, to: CURRENT + 1 });
});

test("to read the version of a file that is missing or empty makes none, and leaves it empty", () => {
  expect(schemaOf(file)).toEqual({ version: 0, current: CURRENT });
  expect(existsSync(file.path)).toBe(false);
  writeFileSync(file.path, "");
  expect(schemaOf(file)).toEqual({ version: 0, current: CURRENT });
  expect(statSync(file.path).size).toBe(0);
});

test("beside a service of this version, and on a new file, there is nothing to wait for", () => {
  expect(migrateDatabase(file)).toEqual({ from: 0, to: CURRENT });
  using _ = lockForServing(file);
  expect(migrateDatabase(file)).toEqual({ from: CURRENT, to: CURRENT });
});

test.each([
  ["a service", () => lockForServing(file)[Symbol.dispose]()],
  ["what keeps services out", () => lockOutServices(file.path)?.[Symbol.dispose]()],
])("%s names the lock that it cannot use, and not the database", (_, lock) => {
  migrateDatabase(file);
  // Nobody has served it, or the lock was let go.
  expect(lock).not.toThrow();
  writeFileSync(`${file.path}.lock`, "This is no database. ".repeat(1_000));
  expect(lock).toThrow(`${file.path}.lock cannot be used: `);
});
