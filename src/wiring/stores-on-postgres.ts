import { TimedKeyCache } from "../adapters/memory/timed-key-cache.ts";
import { PostgresAuditLog } from "../adapters/postgres/audit.ts";
import { PostgresBulk } from "../adapters/postgres/bulk.ts";
import { PostgresCounters } from "../adapters/postgres/counters.ts";
import { Database } from "../adapters/postgres/database.ts";
import { PostgresKeys } from "../adapters/postgres/keys.ts";
import { migrate, SCHEMA_VERSION } from "../adapters/postgres/migrate.ts";
import { PostgresOperators } from "../adapters/postgres/operators.ts";
import { PostgresPets } from "../adapters/postgres/pets.ts";
import { PostgresUsage } from "../adapters/postgres/usage.ts";
import type { Instrumentation } from "../domain/instrumentation.ts";
import { instrumenter } from "./instrument.ts";
import type { Stores } from "./stores.ts";

type Server = { url: string; poolSize: number };

/** The stores on a server that other nodes use too. @throws Unusable, service_unavailable */
export async function openOnPostgres(
  server: Server,
  onLostConnection: (error: Error) => void,
  watches: Instrumentation[] = [],
): Promise<Stores> {
  const watch = instrumenter("postgresql", watches);
  const database = new Database(server.url, server.poolSize, onLostConnection);
  await migrate(database);
  const pets = new PostgresPets(database);
  const keys = watch("keys", new PostgresKeys(database), ["findBySecret"]);
  const cache = new TimedKeyCache((hash) => keys.findBySecret(hash));
  return {
    pets: watch("pets", pets, ["create", "createIdempotently", "get", "list"]),
    keys,
    findBySecret: (hash) => cache.find(hash),
    keyCache: cache,
    counters: watch("counters", new PostgresCounters(database), ["save"]),
    usage: watch("usage", new PostgresUsage(database), ["add"]),
    bulk: new PostgresBulk(database, pets),
    operators: new PostgresOperators(database),
    audit: new PostgresAuditLog(database),
    refresh: () => {},
    check: () => database.check(),
    alone: (work) => database.alone(work),
    close: () => database.close(),
  };
}

/** Brings the schema up to date. Gives the versions before and after. @throws Unusable, service_unavailable */
export async function migratePostgres({ url }: Server): Promise<{ from: number; to: number }> {
  const database = new Database(url, 1, () => {});
  try {
    return { from: await migrate(database), to: SCHEMA_VERSION };
  } finally {
    await database.close();
  }
}
