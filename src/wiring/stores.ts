import type { Readiness } from "../adapters/http/site.ts";
import type { SqlIdempotencyKeys } from "../adapters/sql/idempotency-keys.ts";
import type { StoreRules } from "../adapters/sql/orders.ts";
import type { RetentionTask } from "../adapters/sql/retention.ts";
import type { SchemaVersions } from "../adapters/sql/sql.ts";
import { IN_MEMORY } from "../adapters/sqlite/errors.ts";
import type { IdRange } from "../adapters/sqlite/ids.ts";
import type { ServingLock } from "../adapters/sqlite/serving-lock.ts";
import type { AlertStore } from "../domain/alerts.ts";
import type { AuditLog } from "../domain/audit.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import type { CategoryStore } from "../domain/categories.ts";
import type { Deployment } from "../domain/deployment.ts";
import type { EventStore } from "../domain/events.ts";
import type { Instrumentation } from "../domain/instrumentation.ts";
import type { Counters, FindKey, KeyStore } from "../domain/keys/store.ts";
import type { OperatorStore } from "../domain/operators.ts";
import type { OrderStore } from "../domain/orders.ts";
import type { BulkPets, PetStore } from "../domain/pets.ts";
import type { RequestSegments } from "../domain/requests.ts";
import type { ShopStore } from "../domain/shop.ts";
import type { UsageStore } from "../domain/usage/reading.ts";
import type { WebhookStore } from "../domain/webhooks.ts";
import type { DatabaseConfig } from "./config.ts";

export type Stores = {
  pets: PetStore;
  categories: CategoryStore;
  orders: OrderStore;
  /** The same for requests of clients, which may read from standbys. */
  forClients: { pets: PetStore; categories: CategoryStore; orders: OrderStore };
  /** What is done every now and then so that they do; undefined without standbys. `interval`: in ms. */
  standbys: { interval: number; compare(): Promise<void> } | undefined;
  idempotencyKeys: Pick<SqlIdempotencyKeys, "forget">;
  /** Deletes rows that ended long ago, some at a time. Yields how many. @throws service_unavailable */
  deleteEnded(task: RetentionTask): AsyncGenerator<number>;
  keys: KeyStore;
  /** `keys.findBySecret` through the key cache. */
  findKey: FindKey;
  keyCache: { readonly hits: number; readonly misses: number };
  counters: Counters;
  usage: UsageStore;
  bulk: BulkPets;
  shop: ShopStore;
  operators: OperatorStore;
  audit: AuditLog;
  webhooks: () => WebhookStore;
  alerts: () => AlertStore;
  events: EventStore;
  requests: RequestSegments;
  schema: SchemaVersions;
  /** The ids of acknowledged pets that the store lacked when it was opened. PostgreSQL reports its losses itself. */
  lost: IdRange | undefined;
  /** Makes changes by other processes visible to the caches. Called once per request. */
  refresh(): void;
  /** The clock of the engine's server, in Unix ms; undefined if that is this machine's. @throws service_unavailable */
  now: (() => Promise<number>) | undefined;
  /** The bytes of the database. @throws service_unavailable */
  size(): Awaitable<number>;
  /** @throws service_unavailable when the engine does not answer */
  check(): Awaitable<Readiness>;
  /** Runs `work` while it holds the one lock that all nodes share. */
  withLock<T>(work: () => Promise<T>): Promise<T>;
  close(): Awaitable<void>;
};

/** Which stores, and the deployment that they must belong to. */
type StoreConfig = { database: DatabaseConfig; deployment: Deployment };

/** The rules of the stores, and in a process of a service the identity of the lock that it holds, and whether it is the only one. */
type OpenConfig = StoreConfig & StoreRules & { lock?: string | undefined; isAlone?: boolean };

/**
 * Opens the stores, creating what is missing and bringing the schema up to date, and loads only their engine.
 * `instrumentations` record the calls that requests make. @throws StartupError, service_unavailable
 */
export async function openStores(
  { database, deployment, lock, isAlone, ...rules }: OpenConfig,
  onLostConnection: (error: Error) => void,
  instrumentations: Instrumentation[] = [],
): Promise<Stores> {
  if (database.engine === "sqlite") {
    return (await import("./sqlite-stores.ts")).openSqliteStores(
      { ...database, deployment, lock, isAlone },
      rules,
      instrumentations,
    );
  }
  return (await import("./postgres-stores.ts")).openPostgresStores(
    { ...database, deployment, isAlone },
    rules,
    onLostConnection,
    instrumentations,
  );
}

/** Has no other process serve the same SQLite file. Nodes share a server. @throws StartupError when one does already, or the file cannot be used */
export async function lockStores({ database, deployment }: StoreConfig): Promise<ServingLock | undefined> {
  if (database.engine !== "sqlite" || database.path === IN_MEMORY) return undefined;
  return (await import("../adapters/sqlite/serving-lock.ts")).lockForServing({ ...database, deployment });
}

/** Brings the schema up to date. Returns the versions before and after. @throws StartupError, service_unavailable */
export async function migrateStores({ database, deployment }: StoreConfig): Promise<{ from: number; to: number }> {
  if (database.engine === "sqlite") {
    return (await import("../adapters/sqlite/migrate-file.ts")).migrateDatabase({ ...database, deployment });
  }
  return (await import("./postgres-stores.ts")).migratePostgres({ ...database, deployment });
}

/** Reads the version of the schema, and changes nothing. @throws StartupError, service_unavailable */
export async function schemaOf({ database, deployment }: StoreConfig): Promise<SchemaVersions> {
  if (database.engine === "sqlite") {
    return (await import("../adapters/sqlite/migrate-file.ts")).schemaOf({ ...database, deployment });
  }
  return (await import("./postgres-stores.ts")).postgresSchema(database);
}
