import { KeysAtHand } from "./memory/keys-at-hand.ts";
import { SqliteAuditLog } from "./sqlite/audit.ts";
import { SqliteBulk } from "./sqlite/bulk.ts";
import { SqliteCounters } from "./sqlite/counters.ts";
import { Database } from "./sqlite/database.ts";
import { SqliteKeys } from "./sqlite/keys.ts";
import { SqliteOperators } from "./sqlite/operators.ts";
import { SqlitePets } from "./sqlite/pets.ts";
import { SqliteUsage } from "./sqlite/usage.ts";
import type { Stores } from "./stores.ts";
import type { Watch } from "./watch.ts";
import { watching } from "./watched.ts";

/** The stores in one file. @throws Unusable */
export function openOnSqlite({ path }: { path: string }, watches: Watch[] = []): Stores {
  const watch = watching("sqlite", watches);
  const database = new Database(path);
  const pets = new SqlitePets(database);
  const keys = watch("keys", new SqliteKeys(database), ["findBySecret"]);
  const atHand = new KeysAtHand(
    (hash) => keys.findBySecret(hash),
    () => database.revision,
  );
  return {
    pets: watch("pets", pets, ["create", "createOnce", "get", "list"]),
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
