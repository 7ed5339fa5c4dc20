import { afterEach, beforeEach, expect, test } from "bun:test";
import { SCHEMA_VERSION } from "../../../src/adapters/sqlite/migrate.ts";
import { migrateDatabase, schemaOf } from "../../../src/adapters/sqlite/migrate-file.ts";
import { lockForServing } from "../../../src/adapters/sqlite/serving-lock.ts";
import { openSchema5 } from "./older-schema.ts";
import { type TemporaryFile, temporaryFile } from "./temporary.ts";

let file: TemporaryFile;
beforeEach(() => {
  file = temporaryFile();
});
afterEach(() => file.remove());

test("a service that uses an older schema keeps it until it stops", () => {
  openSchema5(file.path).close();
  {
    using _ = lockForServing(file);
    expect(() => migrateDatabase(file)).toThrow("is in use. Stop the service");
    expect(schemaOf(file).version).toBe(5);
  }
  expect(migrateDatabase(file)).toEqual({ from: 5, to: SCHEMA_VERSION });
});

test("beside a service of this version, and on a new file, there is nothing to wait for", () => {
  expect(migrateDatabase(file)).toMatchObject({ to: SCHEMA_VERSION });
  using _ = lockForServing(file);
  expect(migrateDatabase(file)).toEqual({ from: SCHEMA_VERSION, to: SCHEMA_VERSION });
});
