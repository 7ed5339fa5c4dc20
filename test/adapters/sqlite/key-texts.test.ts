import { afterAll, beforeAll, expect, test } from "bun:test";
import { DatabaseSync } from "node:sqlite";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { keyTexts, SqliteKeys } from "../../../src/adapters/sqlite/keys.ts";
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
  const other = new DatabaseSync(file.path);
  const run = async (text: string) => other.exec(text);
  const connection = { run, [Symbol.asyncDispose]: async () => other.close() };
  await addManyKeys({ engine: "sqlite", connect: async () => connection }, KEYS, NOW);
  database = new Database(file);
  keys = new SqliteKeys(database);
});
afterAll(() => {
  database.close();
  file.remove();
});

test("keys are found by the index", async () => {
  const found = await keys.list({ search: "customer 19", order: "newest", limit: 50 }, NOW);
  expect(found.map(({ key }) => key.name)).toEqual(
    [199, 198, 197, 196, 195, 194, 193, 192, 191, 190, 19].map((n) => `Customer ${n}`),
  );
});

test("a search counts up to the most, and reports whether that is all", async () => {
  const page = { search: "customer 19", order: "newest", limit: 9 } as const;
  const count = async (most: number) => (await keys.listCounted(page, NOW, most)).count;
  expect(await count(10)).toEqual({ total: 10, isExact: false });
  expect(await count(11)).toEqual({ total: 11, isExact: true });
});

test("the index counts the keys with a text of any length, no further than asked", async () => {
  const texts = keyTexts(database, 11);
  const counted = async (text: string, most: number) => (await texts.find(text, most)).count;
  const counts = {
    "r 7": 11,
    "r 19": 11,
    "7f": 1,
    "~": 0,
    k: KEYS,
    cu: KEYS,
    ab: 1,
    "custome?": 0,
    "[c]u": 0,
    "**?": 0,
    '"a': 0,
  };
  for (const [text, count] of Object.entries(counts)) expect([text, await counted(text, KEYS)]).toEqual([text, count]);
  expect(await counted("cu", 20)).toBe(20);
});

test("few keys with a text are read by their ids, many in the order of the list", async () => {
  const found = async (mostFew: number) => await keyTexts(database, mostFew).find("r 7", 1);
  expect(await found(11)).toMatchObject({ count: 11, few: { table: expect.stringContaining("key_texts") } });
  expect(await found(10)).toEqual({ count: 11 });
});

test("the file is whole", () => {
  expect(database.all("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
});
