import type { Awaitable } from "./awaitable.ts";
import type { Config } from "./config.ts";
import type { KeyStore } from "./keys/store.ts";
import type { Counters } from "./limits/counters.ts";
import { KeyCache } from "./memory/key-cache.ts";
import type { BulkPets } from "./pets/bulk.ts";
import type { PetStore } from "./pets/store.ts";
import { PostgresBulk } from "./postgres/bulk.ts";
import { PostgresCounters } from "./postgres/counters.ts";
import { Database as PostgresDatabase } from "./postgres/database.ts";
import { PostgresKeys } from "./postgres/keys.ts";
import { migrate, SCHEMA_VERSION } from "./postgres/migrate.ts";
import { PostgresPets } from "./postgres/pets.ts";
import { SqliteBulk } from "./sqlite/bulk.ts";
import { SqliteCounters } from "./sqlite/counters.ts";
import { Database as SqliteDatabase } from "./sqlite/database.ts";
import { SqliteKeys } from "./sqlite/keys.ts";
import { migrateDatabase } from "./sqlite/migrate-file.ts";
import { SqlitePets } from "./sqlite/pets.ts";

/** Where everything is kept, on whichever engine. */
export type Stores = {
  pets: PetStore;
  keys: KeyStore;
  /** The keys that requests come with: as `keys` has them, at most a second ago. */
  findBySecret: KeyStore["findBySecret"];
  counters: Counters;
  bulk: BulkPets;
  /** Brings what is known by heart up to date; once a request. */
  refresh(): void;
  /** @throws service_unavailable when the engine does not answer */
  check(): Awaitable<void>;
  close(): Awaitable<void>;
};

/** Opens the stores on the engine that DATABASE_URL names, creating what is missing. @throws Unusable */
export function openStores({ database }: Config, onLostConnection: (error: Error) => void): Awaitable<Stores> {
  return database.engine === "sqlite" ? openSqlite(database.path) : openPostgres(database, onLostConnection);
}

/** Brings the schema up to date. Gives the versions before and after. @throws Unusable */
export async function migrateStores({ database }: Config): Promise<{ from: number; to: number }> {
  if (database.engine === "sqlite") return migrateDatabase(database.path);
  const server = new PostgresDatabase(database.url, 1, () => {});
  try {
    return { from: await migrate(server), to: SCHEMA_VERSION };
  } finally {
    await server.close();
  }
}

function openSqlite(path: string): Stores {
  const database = new SqliteDatabase(path);
  const pets = new SqlitePets(database);
  const keys = new SqliteKeys(database);
  return {
    pets,
    keys,
    findBySecret: (hash) => keys.findBySecret(hash),
    counters: new SqliteCounters(database),
    bulk: new SqliteBulk(database, pets),
    refresh: () => database.refresh(),
    check: () => database.refresh(),
    close: () => database.close(),
  };
}

async function openPostgres(
  { url, poolSize }: Extract<Config["database"], { engine: "postgres" }>,
  onLostConnection: (error: Error) => void,
): Promise<Stores> {
  const database = new PostgresDatabase(url, poolSize, onLostConnection);
  await migrate(database);
  const keys = new PostgresKeys(database);
  const cache = new KeyCache((hash) => keys.findBySecret(hash));
  const pets = new PostgresPets(database);
  return {
    pets,
    keys,
    findBySecret: (hash) => cache.find(hash),
    counters: new PostgresCounters(database),
    bulk: new PostgresBulk(database, pets),
    refresh: () => {},
    check: () => database.check(),
    close: () => database.close(),
  };
}
