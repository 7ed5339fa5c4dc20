import type { Instrumentation } from "../domain/instrumentation.ts";
import type { DatabaseConfig } from "./config.ts";
import type { Stores } from "./stores.ts";

/**
 * Opens the stores, creating what is missing, and loads only their engine.
 * `instrumentations` record the calls that requests make. @throws StartupError, service_unavailable
 */
export async function openStores(
  database: DatabaseConfig,
  onLostConnection: (error: Error) => void,
  instrumentations: Instrumentation[] = [],
): Promise<Stores> {
  if (database.engine === "sqlite") {
    return (await import("./sqlite-stores.ts")).openSqliteStores(database, instrumentations);
  }
  return (await import("./postgres-stores.ts")).openPostgresStores(database, onLostConnection, instrumentations);
}

/** Brings the schema up to date. Returns the versions before and after. @throws StartupError, service_unavailable */
export async function migrateStores(database: DatabaseConfig): Promise<{ from: number; to: number }> {
  if (database.engine === "sqlite") {
    return (await import("../adapters/sqlite/migrate-file.ts")).migrateDatabase(database.path);
  }
  return (await import("./postgres-stores.ts")).migratePostgres(database);
}
