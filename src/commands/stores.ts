import { existsSync } from "node:fs";
import { type Config, readConfig } from "../config.ts";
import { SqliteCounters } from "../sqlite/counters.ts";
import { Database } from "../sqlite/database.ts";
import { SqliteKeys } from "../sqlite/keys.ts";
import { SqlitePets } from "../sqlite/pets.ts";
import { Unusable } from "../sqlite/unusable.ts";

/** What the commands work on. */
export type Stores = {
  config: Config;
  database: Database;
  pets: SqlitePets;
  keys: SqliteKeys;
  counters: SqliteCounters;
};

/** Does `work` with the stores that the environment names, creating what is missing, and closes them. @throws ConfigError, Unusable */
export async function withStores(work: (stores: Stores) => Promise<void>): Promise<void> {
  const config = readConfig(process.env);
  const database = new Database(config.databasePath);
  try {
    await work({
      config,
      database,
      pets: new SqlitePets(database),
      keys: new SqliteKeys(database),
      counters: new SqliteCounters(database),
    });
  } finally {
    database.close();
  }
}

/** The same where there is nothing to do without a database: a mistake in DATABASE_URL is not to make an empty one. */
export async function withExistingStores(work: (stores: Stores) => Promise<void>): Promise<void> {
  requireDatabase(readConfig(process.env).databasePath);
  await withStores(work);
}

/** @throws Unusable when there is no database yet */
export function requireDatabase(path: string): void {
  if (existsSync(path)) return;
  throw new Unusable(
    `There is no database ${path}. \`petstore database migrate\` creates one; DATABASE_URL names another.`,
  );
}
