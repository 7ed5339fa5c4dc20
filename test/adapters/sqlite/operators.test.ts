import { expect, test } from "bun:test";
import { sqlOperators } from "../../../src/adapters/sql/operators.ts";
import { sqlAuditLog } from "../../../src/adapters/sql/records.ts";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { SqliteKeys } from "../../../src/adapters/sqlite/keys.ts";
import { ENTRY } from "../../conformance/entry.ts";
import { operatorStoreConformance } from "../../conformance/operator-store.ts";
import { openings } from "./opened.ts";
import { temporaryFile } from "./temporary.ts";

for (const [name, open] of openings)
  operatorStoreConformance(name, () =>
    open((database) => ({
      operators: sqlOperators(database),
      audit: sqlAuditLog(database),
      keys: new SqliteKeys(database),
    })),
  );

test("the database itself refuses to change, delete or replace entries of the log", async () => {
  const file = temporaryFile();
  const database = new Database(file);
  const log = sqlAuditLog(database);
  await log.append(ENTRY);
  const before = await log.list({ limit: 10 });
  for (const sql of [
    "UPDATE audit SET operator_name = 'nobody'",
    "DELETE FROM audit",
    "REPLACE INTO audit SELECT * FROM audit",
  ]) {
    expect(() => database.prepare(sql).run()).toThrow("append-only");
  }
  expect(await log.list({ limit: 10 })).toEqual(before);
  database.close();
  file.remove();
});
