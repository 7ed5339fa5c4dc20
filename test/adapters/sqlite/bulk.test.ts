import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { sqlAuditLog } from "../../../src/adapters/sql/records.ts";
import { sqliteBulk } from "../../../src/adapters/sqlite/bulk.ts";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { SqlitePets } from "../../../src/adapters/sqlite/pets.ts";
import { bulkPetsConformance } from "../../conformance/bulk-pets.ts";
import { ENTRY } from "../../conformance/entry.ts";
import { openings } from "./opened.ts";
import { temporaryFile } from "./temporary.ts";

for (const [name, open] of openings)
  bulkPetsConformance(name, () =>
    open((database) => {
      const pets = new SqlitePets(database);
      return { pets, bulk: sqliteBulk(database, pets), audit: sqlAuditLog(database) };
    }),
  );

test("a snapshot closes its connection, whether it is read to its end or not", async () => {
  const file = temporaryFile();
  const database = new Database(file);
  const bulk = sqliteBulk(database, new SqlitePets(database));
  await bulk.add([{ name: "Rex", categoryId: 1n }], ENTRY);
  const openFiles = () => readdirSync("/proc/self/fd").length;
  const before = openFiles();
  for (let i = 0; i < 50; i++) for (const _ of bulk.snapshot()) break;
  expect([...bulk.snapshot()]).toHaveLength(1);
  // SQLite itself may keep some of them for later.
  expect(openFiles()).toBeLessThan(before + 10);
  database.close();
  file.remove();
});
