import type { Readiness } from "../adapters/http/site.ts";
import { TimedKeyCache } from "../adapters/memory/key-cache.ts";
import { postgresBulk, postgresShop } from "../adapters/postgres/bulk.ts";
import { PostgresEvents, PostgresOrders } from "../adapters/postgres/changes.ts";
import { PostgresCounters } from "../adapters/postgres/counters.ts";
import { Database, SERVER_TIME } from "../adapters/postgres/database.ts";
import { PostgresKeys } from "../adapters/postgres/keys.ts";
import { migrate, schemaOf } from "../adapters/postgres/migrate.ts";
import { migrations } from "../adapters/postgres/migrations.ts";
import { PostgresPets } from "../adapters/postgres/pets.ts";
import { postgresRequestSegments } from "../adapters/postgres/request-segments.ts";
import { Standbys } from "../adapters/postgres/standbys.ts";
import { PostgresUsage } from "../adapters/postgres/usage.ts";
import { sqlAlerts } from "../adapters/sql/alerts.ts";
import { sqlCategories } from "../adapters/sql/categories.ts";
import { SqlIdempotencyKeys } from "../adapters/sql/idempotency-keys.ts";
import { sqlOperators } from "../adapters/sql/operators.ts";
import type { StoreRules } from "../adapters/sql/orders.ts";
import { sqlAuditLog } from "../adapters/sql/records.ts";
import { deleteEnded, type RetentionTask } from "../adapters/sql/retention.ts";
import { currentVersion, type SchemaVersions } from "../adapters/sql/sql.ts";
import { sqlWebhooks } from "../adapters/sql/webhooks.ts";
import type { Deployment } from "../domain/deployment.ts";
import type { Instrumentation } from "../domain/instrumentation.ts";
import type { DatabaseConfig } from "./config.ts";
import { instrumentedStores, instrumenter, invalidatingKeys, overriding } from "./instrumentation.ts";

type Server = Omit<Extract<DatabaseConfig, { engine: "postgres" }>, "engine"> & {
  deployment: Deployment;
  isAlone?: boolean | undefined;
};

/** Opens the stores in PostgreSQL. @throws StartupError, service_unavailable */
export async function openPostgresStores(
  { url, poolSize, replicas, deployment, isAlone }: Server,
  rules: StoreRules,
  onLostConnection: (error: Error) => void,
  instrumentations: Instrumentation[],
) {
  const instrument = instrumenter("postgresql", instrumentations);
  await using stack = new AsyncDisposableStack();
  const database = stack.adopt(new Database(url, poolSize, onLostConnection), (opened) => opened.close());
  const { to: version } = await migrate(database, deployment);
  const standbys = replicas && new Standbys(database, { ...replicas, poolSize }, onLostConnection);
  stack.defer(() => standbys?.close());
  const opened = stack.move();
  const idempotencyKeys = new SqlIdempotencyKeys(database);
  const pets = new PostgresPets(database, idempotencyKeys, rules);
  const keys = new PostgresKeys(database);
  const keyCache = new TimedKeyCache(
    deployment,
    instrument("keys.findBySecret", (hash) => keys.findBySecret(hash)),
  );
  const categories = sqlCategories(database, idempotencyKeys);
  const orders = new PostgresOrders(database, idempotencyKeys, rules.orderExpiry);
  const read = standbys && {
    pets: standbys.reading(pets, (standby) => new PostgresPets(standby)),
    categories: standbys.reading(categories, (standby) => sqlCategories(standby, idempotencyKeys)),
    orders: standbys.reading(orders, (standby) => new PostgresOrders(standby, idempotencyKeys)),
  };
  const stores = instrumentedStores(
    {
      pets: read ? overriding(pets, read.pets) : pets,
      categories: read ? overriding(categories, read.categories) : categories,
      orders: read ? overriding(orders, read.orders) : orders,
      counters: new PostgresCounters(database),
      usage: new PostgresUsage(database),
    },
    instrument,
  );
  return {
    ...stores,
    forClients: stores,
    ...(standbys && { pets, categories, orders }),
    standbys,
    idempotencyKeys,
    deleteEnded: (task: RetentionTask) => deleteEnded(database, task),
    keys: invalidatingKeys(keys, (keyId) => keyCache.forget(keyId)),
    findKey: (secret: string) => keyCache.find(secret),
    keyCache,
    bulk: postgresBulk(database),
    shop: postgresShop(database),
    operators: sqlOperators(database),
    webhooks: () => sqlWebhooks(database, SERVER_TIME),
    alerts: () => sqlAlerts(database),
    audit: sqlAuditLog(database),
    events: new PostgresEvents(database, standbys, isAlone === false ? "workers" : "nodes"),
    requests: postgresRequestSegments(database),
    schema: { version, current: currentVersion(migrations) },
    lost: undefined,
    refresh: () => {},
    size: () => database.size(),
    // What every list needs: it also notices a table that somebody has locked.
    check: async (): Promise<Readiness> => {
      const reads = [pets.list({ limit: 1, after: 0n }), keys.findBySecret("")];
      const [isReadOnly] = await Promise.all([database.isReadOnly(), ...reads]);
      return isReadOnly ? "read-only" : "ready";
    },
    now: () => database.now(),
    withLock: <T>(work: () => Promise<T>) => database.withLock(work),
    close: () => opened.disposeAsync(),
  };
}

/** Brings the schema up to date. Returns the versions before and after. @throws StartupError, service_unavailable */
export function migratePostgres({ url, deployment }: Server): Promise<{ from: number; to: number }> {
  return withDatabase(url, (database) => migrate(database, deployment));
}

/** Reads the version of the schema. @throws service_unavailable */
export function postgresSchema({ url }: Pick<Server, "url">): Promise<SchemaVersions> {
  return withDatabase(url, (database) => schemaOf(database));
}

async function withDatabase<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = new Database(url, 1, () => {});
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
