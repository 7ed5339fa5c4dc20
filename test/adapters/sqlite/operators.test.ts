import { expect, test } from "bun:test";
import { SqliteAuditLog } from "../../../src/adapters/sqlite/audit.ts";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { SqliteKeys } from "../../../src/adapters/sqlite/keys.ts";
import { SqliteOperators } from "../../../src/adapters/sqlite/operators.ts";
import { ENTRY } from "../../conformance/entry.ts";
import { operatorStoreConformance } from "../../conformance/operator-store.ts";
import { openOnDisk } from "./opened.ts";
import { temporaryFile } from "./temporary.ts";

operatorStoreConformance("SQLite", () =>
  openOnDisk((database) => ({
    operators: new SqliteOperators(database),
    audit: new SqliteAuditLog(database),
    keys: new SqliteKeys(database),
  })),
);

test("the file itself refuses to change or to shorten the log", async () => {
  const file = temporaryFile();
  const database = new Database(file.path);
  const log = new SqliteAuditLog(database);
  await log.append(ENTRY);
  const before = log.list({ limit: 10 });
  for (const sql of ["UPDATE audit SET operator_name = 'nobody'", "DELETE FROM audit"]) {
    expect(() => database.prepare(sql).run()).toThrow("append-only");
  }
  expect(log.list({ limit: 10 })).toEqual(before);
  database.close();
  file.remove();
});
