import { LocalKeyCache } from "../adapters/memory/local-key-cache.ts";
import { SqliteAuditLog } from "../adapters/sqlite/audit.ts";
import { SqliteBulk } from "../adapters/sqlite/bulk.ts";
import { SqliteCounters } from "../adapters/sqlite/counters.ts";
import { Database } from "../adapters/sqlite/database.ts";
import { SqliteKeys } from "../adapters/sqlite/keys.ts";
import { SqliteOperators } from "../adapters/sqlite/operators.ts";
import { SqlitePets } from "../adapters/sqlite/pets.ts";
import { SqliteUsage } from "../adapters/sqlite/usage.ts";
import type { Instrumentation } from "../domain/instrumentation.ts";
import { instrumenter } from "./instrument.ts";
import type { Stores } from "./stores.ts";

/** The stores in one file. @throws Unusable */
export function openOnSqlite({ path }: { path: string }, watches: Instrumentation[] = []): Stores {
  const watch = instrumenter("sqlite", watches);
  const database = new Database(path);
  const pets = new SqlitePets(database);
  const keys = watch("keys", new SqliteKeys(database), ["findBySecret"]);
  const atHand = new LocalKeyCache(
    (hash) => keys.findBySecret(hash),
    () => database.revision,
  );
  return {
    pets: watch("pets", pets, ["create", "createIdempotently", "get", "list"]),
    keys,
    findBySecret: (hash) => atHand.find(hash),
    keyCache: atHand,
    counters: watch("counters", new SqliteCounters(database), ["save"]),
    usage: watch("usage", new SqliteUsage(database), ["add"]),
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
