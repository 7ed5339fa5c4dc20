import type { Awaitable } from "./awaitable.ts";
import type { Config } from "./config.ts";
import type { KeyStore } from "./keys/store.ts";
import type { Counters } from "./limits/counters.ts";
import { KeyCache } from "./memory/key-cache.ts";
import type { PetStore } from "./pets/store.ts";
import { PostgresCounters } from "./postgres/counters.ts";
import { Database as PostgresDatabase } from "./postgres/database.ts";
import { PostgresKeys } from "./postgres/keys.ts";
import { migrate } from "./postgres/migrate.ts";
import { PostgresPets } from "./postgres/pets.ts";
import { SqliteCounters } from "./sqlite/counters.ts";
import { Database as SqliteDatabase } from "./sqlite/database.ts";
import { SqliteKeys } from "./sqlite/keys.ts";
import { SqlitePets } from "./sqlite/pets.ts";

/** Where everything is kept, on whichever engine. */
export type Stores = {
  pets: PetStore;
  keys: KeyStore;
  /** The keys that requests come with: as `keys` has them, at most a second ago. */
  findBySecret: KeyStore["findBySecret"];
  counters: Counters;
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

function openSqlite(path: string): Stores {
  const database = new SqliteDatabase(path);
  const keys = new SqliteKeys(database);
  return {
    pets: new SqlitePets(database),
    keys,
    findBySecret: (hash) => keys.findBySecret(hash),
    counters: new SqliteCounters(database),
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
  return {
    pets: new PostgresPets(database),
    keys,
    findBySecret: (hash) => cache.find(hash),
    counters: new PostgresCounters(database),
    refresh: () => {},
    check: () => database.check(),
    close: () => database.close(),
  };
}
