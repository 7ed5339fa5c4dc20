import { MemoryRequestSegments, RequestFiles } from "../adapters/history/segments.ts";
import { LocalKeyCache } from "../adapters/memory/key-cache.ts";
import { sqlAlerts } from "../adapters/sql/alerts.ts";
import { sqlCategories } from "../adapters/sql/categories.ts";
import { SqlIdempotencyKeys } from "../adapters/sql/idempotency-keys.ts";
import { sqlOperators } from "../adapters/sql/operators.ts";
import { SqlOrders, type StoreRules } from "../adapters/sql/orders.ts";
import { sqlAuditLog } from "../adapters/sql/records.ts";
import { deleteEnded, type RetentionTask } from "../adapters/sql/retention.ts";
import { sqlWebhooks } from "../adapters/sql/webhooks.ts";
import { sqliteBulk, sqliteShop } from "../adapters/sqlite/bulk.ts";
import { SqliteCounters } from "../adapters/sqlite/counters.ts";
import { Database } from "../adapters/sqlite/database.ts";
import { IN_MEMORY } from "../adapters/sqlite/errors.ts";
import { SqliteEvents } from "../adapters/sqlite/events.ts";
import { SqliteKeys } from "../adapters/sqlite/keys.ts";
import type { StoreFile } from "../adapters/sqlite/migrate.ts";
import { SqlitePets } from "../adapters/sqlite/pets.ts";
import { sqliteUsage } from "../adapters/sqlite/usage.ts";
import type { Instrumentation } from "../domain/instrumentation.ts";
import { instrumentedStores, instrumenter, invalidatingKeys } from "./instrumentation.ts";

/** Opens the stores in a SQLite file. @throws StartupError */
export function openSqliteStores(file: StoreFile, rules: StoreRules, instrumentations: Instrumentation[]) {
  const instrument = instrumenter("sqlite", instrumentations);
  const database = new Database(file);
  const idempotencyKeys = new SqlIdempotencyKeys(database);
  const pets = new SqlitePets(database, idempotencyKeys, rules);
  const keys = new SqliteKeys(database);
  const findBySecret = instrument("keys.findBySecret", (hash: string) => keys.findBySecret(hash));
  const keyCache = new LocalKeyCache(file.deployment, findBySecret, () => keys.revisionByOthers);
  const stores = instrumentedStores(
    {
      pets,
      categories: sqlCategories(database, idempotencyKeys),
      orders: new SqlOrders(database, idempotencyKeys, rules.orderExpiry),
      counters: new SqliteCounters(database),
      usage: sqliteUsage(database),
    },
    instrument,
  );
  return {
    ...stores,
    forClients: stores,
    standbys: undefined,
    idempotencyKeys,
    async *deleteEnded(task: RetentionTask) {
      for await (const deleted of deleteEnded(database, task)) {
        if (task.kind === "keys") keyCache.clear();
        yield deleted;
      }
    },
    keys: invalidatingKeys(keys, (keyId) => keyCache.forget(keyId)),
    findKey: (secret: string) => keyCache.find(secret),
    keyCache,
    bulk: sqliteBulk(database, pets),
    shop: sqliteShop(database),
    operators: sqlOperators(database.withReserve),
    webhooks: () => sqlWebhooks(database.withReserve),
    alerts: () => sqlAlerts(database.withReserve),
    audit: sqlAuditLog(database.withReserve),
    events: new SqliteEvents(database),
    requests: file.path === IN_MEMORY ? new MemoryRequestSegments() : new RequestFiles(file.path),
    schema: database.schema,
    lost: database.ids.lost,
    refresh: () => database.refresh(),
    size: () => database.size(),
    check: () => {
      database.check();
      return "ready" as const;
    },
    // Only one service uses a file.
    now: undefined,
    withLock: <T>(work: () => Promise<T>) => work(),
    close: () => database.close(),
  };
}
