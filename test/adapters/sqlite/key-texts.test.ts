import { afterAll, beforeAll, expect, test } from "bun:test";
import { DatabaseSync } from "node:sqlite";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { keyTexts } from "../../../src/adapters/sqlite/key-texts.ts";
import { SqliteKeys } from "../../../src/adapters/sqlite/keys.ts";
import { keyTexts as migration } from "../../../src/adapters/sqlite/migrations/0017-key-texts.ts";
import { addManyKeys } from "../../support/many-keys.ts";
import { type TemporaryFile, temporaryFile } from "./temporary.ts";

const NOW = Date.UTC(2026, 10, 22);
const KEYS = 200;

let file: TemporaryFile;
let database: Database;
let keys: SqliteKeys;
beforeAll(async () => {
  file = temporaryFile();
  new Database(file).close();
  // A file of schema 16, with keys.
  const old = new DatabaseSync(file.path);
  old.exec("DROP TRIGGER key_texts_of_new_keys; DROP TRIGGER key_texts_of_changed_keys; DROP TABLE key_texts");
  const run = async (text: string) => old.exec(text);
  const connection = { run, [Symbol.asyncDispose]: async () => old.close() };
  await addManyKeys({ engine: "sqlite", connect: async () => connection }, KEYS, NOW);
  const migrating = new DatabaseSync(file.path);
  migrating.exec(migration);
  migrating.close();
  database = new Database(file);
  keys = new SqliteKeys(database);
});
afterAll(() => {
  database.close();
  file.remove();
});

test("keys from before the index are found by it", async () => {
  const found = await keys.list({ search: "customer 19", order: "newest", limit: 50 }, NOW);
  expect(found.map(({ key }) => key.name)).toEqual(
    [199, 198, 197, 196, 195, 194, 193, 192, 191, 190, 19].map((n) => `Customer ${n}`),
  );
});

test("a search counts up to the most, and reports whether that is all", async () => {
  const count = (most: number) => keys.count({ search: "customer 19" }, NOW, most);
  expect(await count(10)).toEqual({ total: 10, isExact: false });
  expect(await count(11)).toEqual({ total: 11, isExact: true });
});

test("the index finds texts of three characters or more, of which none is a wildcard, and few keys alone", () => {
  const texts = keyTexts(database, 11);
  expect(texts.count("r 7", KEYS)).toBe(11);
  for (const short of ["r7", "7", "", "**?[[", "a*b?c["]) expect(texts.count(short, KEYS)).toBeUndefined();
  for (const other of ["custome?", "cust*", "[c]ustomer", "omer 7]"]) expect(texts.count(other, KEYS)).toBe(0);
  expect(texts.few("r 7")).toMatchObject({ table: "petstore.keys NOT INDEXED" });
  expect(keyTexts(database, 10).few("r 7")).toBeUndefined();
});

test("the file is whole", () => {
  expect(database.all("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
});
