import { KeysAtHand } from "./memory/keys-at-hand.ts";
import { SqliteAuditLog } from "./sqlite/audit.ts";
import { SqliteBulk } from "./sqlite/bulk.ts";
import { SqliteCounters } from "./sqlite/counters.ts";
import { Database } from "./sqlite/database.ts";
import { SqliteKeys } from "./sqlite/keys.ts";
import { SqliteOperators } from "./sqlite/operators.ts";
import { SqlitePets } from "./sqlite/pets.ts";
import type { Stores } from "./stores.ts";
import type { Watch } from "./watch.ts";
import { watched } from "./watched.ts";

/** The stores in one file. @throws Unusable */
export function openOnSqlite({ path }: { path: string }, watches: Watch[] = []): Stores {
  const database = new Database(path);
  const pets = new SqlitePets(database);
  const keys = watched(new SqliteKeys(database), { kind: "sqlite", name: "keys" }, ["findBySecret"], watches);
  const atHand = new KeysAtHand(
    (hash) => keys.findBySecret(hash),
    () => database.revision,
  );
  const counters = new SqliteCounters(database);
  return {
    pets: watched(pets, { kind: "sqlite", name: "pets" }, ["create", "get", "list"], watches),
    keys,
    findBySecret: (hash) => atHand.find(hash),
    keyCache: atHand,
    counters: watched(counters, { kind: "sqlite", name: "counters" }, ["save"], watches),
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
