import type { SchemaVersions } from "../adapters/sql/sql.ts";
import { IN_MEMORY } from "../adapters/sqlite/errors.ts";
import type { ServingLock } from "../adapters/sqlite/serving-lock.ts";
import type { Instrumentation } from "../domain/instrumentation.ts";
import type { Config } from "./config.ts";
import type { Stores } from "./stores.ts";

/** Which stores, the deployment that they must belong to, and what they check. */
export type StoreConfig = Pick<Config, "database" | "deployment" | "checksCategories">;

/**
 * Opens the stores, creating what is missing and bringing the schema up to date, and loads only their engine.
 * `instrumentations` record the calls that requests make. @throws StartupError, service_unavailable
 */
export async function openStores(
  { database, deployment, checksCategories }: StoreConfig,
  onLostConnection: (error: Error) => void,
  instrumentations: Instrumentation[] = [],
): Promise<Stores> {
  if (database.engine === "sqlite") {
    return (await import("./sqlite-stores.ts")).openSqliteStores(
      { ...database, deployment },
      { checksCategories },
      instrumentations,
    );
  }
  return (await import("./postgres-stores.ts")).openPostgresStores(
    { ...database, deployment },
    { checksCategories },
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
