import type { Instrumentation } from "../domain/instrumentation.ts";
import type { Config } from "./config.ts";
import type { Stores } from "./stores.ts";

/**
 * Opens the stores on the engine that DATABASE_URL names, creating what is missing. Loads no other. What requests ask of
 * them is watched by `watches`. @throws Unusable
 */
export async function openStores(
  { database }: Config,
  onLostConnection: (error: Error) => void,
  watches: Instrumentation[] = [],
): Promise<Stores> {
  if (database.engine === "sqlite") return (await import("./stores-on-sqlite.ts")).openOnSqlite(database, watches);
  return (await import("./stores-on-postgres.ts")).openOnPostgres(database, onLostConnection, watches);
}

/** Brings the schema up to date. Gives the versions before and after. @throws Unusable */
export async function migrateStores({ database }: Config): Promise<{ from: number; to: number }> {
  if (database.engine === "sqlite")
    return (await import("../adapters/sqlite/migrate-file.ts")).migrateDatabase(database.path);
  return (await import("./stores-on-postgres.ts")).migratePostgres(database);
}
