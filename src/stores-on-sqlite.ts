import { SqliteAuditLog } from "./sqlite/audit.ts";
import { SqliteBulk } from "./sqlite/bulk.ts";
import { SqliteCounters } from "./sqlite/counters.ts";
import { Database } from "./sqlite/database.ts";
import { SqliteKeys } from "./sqlite/keys.ts";
import { SqliteOperators } from "./sqlite/operators.ts";
import { SqlitePets } from "./sqlite/pets.ts";
import { SqliteUsage } from "./sqlite/usage.ts";
import type { Stores } from "./stores.ts";

/** The stores in one file. @throws Unusable */
export function openOnSqlite({ path }: { path: string }): Stores {
  const database = new Database(path);
  const pets = new SqlitePets(database);
  const keys = new SqliteKeys(database);
  return {
    pets,
    keys,
    findBySecret: (hash) => keys.findBySecret(hash),
    counters: new SqliteCounters(database),
    usage: new SqliteUsage(database),
    bulk: new SqliteBulk(database, pets),
    operators: new SqliteOperators(database),
    audit: new SqliteAuditLog(database),
    refresh: () => database.refresh(),
    check: () => database.refresh(),
    // One process serves a file.
    alone: (work) => work(),
    close: () => database.close(),
  };
}
