import { KeyCache } from "./memory/key-cache.ts";
import { PostgresAuditLog } from "./postgres/audit.ts";
import { PostgresBulk } from "./postgres/bulk.ts";
import { PostgresCounters } from "./postgres/counters.ts";
import { Database } from "./postgres/database.ts";
import { PostgresKeys } from "./postgres/keys.ts";
import { migrate, SCHEMA_VERSION } from "./postgres/migrate.ts";
import { PostgresOperators } from "./postgres/operators.ts";
import { PostgresPets } from "./postgres/pets.ts";
import { PostgresUsage } from "./postgres/usage.ts";
import type { Stores } from "./stores.ts";

type Server = { url: string; poolSize: number };

/** The stores on a server that other nodes use too. @throws Unusable, service_unavailable */
export async function openOnPostgres(server: Server, onLostConnection: (error: Error) => void): Promise<Stores> {
  const database = new Database(server.url, server.poolSize, onLostConnection);
  await migrate(database);
  const pets = new PostgresPets(database);
  const keys = new PostgresKeys(database);
  const cache = new KeyCache((hash) => keys.findBySecret(hash));
  return {
    pets,
    keys,
    findBySecret: (hash) => cache.find(hash),
    counters: new PostgresCounters(database),
    usage: new PostgresUsage(database),
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
