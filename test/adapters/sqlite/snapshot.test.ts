import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { SqlitePets } from "../../../src/adapters/sqlite/pets.ts";
import { temporaryFile } from "./temporary.ts";

test("the snapshot that requests read ends with the turn: it does not keep the log from being written back", async () => {
  const file = temporaryFile();
  const database = new Database(file);
  const other = new DatabaseSync(file.path);
  const isWrittenBack = () => other.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0;
  database.refresh();
  other.exec("INSERT INTO pets (name, category_id, status) VALUES ('Rex', 1, 'sold')");
  expect(isWrittenBack()).toBe(false);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(isWrittenBack()).toBe(true);
  other.close();
  database.close();
  file.remove();
});

test("within a turn that is long a later request reads what was written before it arrived", () => {
  const file = temporaryFile();
  const database = new Database(file);
  const pets = new SqlitePets(database);
  const other = new DatabaseSync(file.path);
  database.refresh();
  expect(pets.list({ limit: 10, after: 0n })).toHaveLength(0);
  other.exec("INSERT INTO pets (name, category_id, status) VALUES ('Rex', 1, 'sold')");
  for (const since = performance.now(); performance.now() < since + 5; );
  database.refresh();
  expect(pets.list({ limit: 10, after: 0n })).toHaveLength(1);
  other.close();
  database.close();
  file.remove();
});

test.each([
  ["by another file", (bytes: Buffer) => Buffer.alloc(bytes.length, 0x5a)],
  ["by nothing", () => Buffer.alloc(0)],
])(
  "a file that is overwritten %s while it is open fails reads and writes, and nothing else",
  async (_, overwritten) => {
    const file = temporaryFile();
    const database = new Database(file);
    const pets = new SqlitePets(database);
    for (let i = 0; i < 200; i++) await pets.create({ name: `Pet ${i}`, categoryId: 1n }, { now: Date.now() });
    database.refresh();
    pets.list({ limit: 100, after: 0n });
    writeFileSync(file.path, overwritten(readFileSync(file.path)));
    const outcomes: unknown[] = [];
    for (let i = 0; i < 20; i++) {
      try {
        database.refresh();
        pets.list({ limit: 100, after: BigInt(i) });
        await pets.create({ name: "Later", categoryId: 1n }, { now: Date.now() });
      } catch (error) {
        outcomes.push(error);
      }
      // What is thrown outside a request would end the process.
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    for (const error of outcomes) expect(error).toMatchObject({ code: "service_unavailable" });
    database.close();
    file.remove();
  },
);
