import type { SchemaVersions } from "../sql/sql.ts";
import { fileSize } from "./files.ts";
import { currentVersionFor, identityOf, migrate, type StoreFile } from "./migrate.ts";
import { connect } from "./open.ts";
import { lockOutServices } from "./serving-lock.ts";

/**
 * Creates the file if it is missing, and brings its schema up to date. Returns both versions.
 * @throws StartupError also while a service uses an older schema: its statements would fail with the new one
 */
export function migrateDatabase(file: StoreFile): { from: number; to: number } {
  using database = connect(file);
  const { version } = identityOf(database);
  using _ = version > 0 && version < currentVersionFor(file) ? lockOutServices(file.path) : undefined;
  return migrate(database, file);
}

/** Reads the version of the schema, and does not create a file that is missing. @throws StartupError */
export function schemaOf(file: StoreFile): SchemaVersions {
  const current = currentVersionFor(file);
  if (fileSize(file.path) === 0) return { version: 0, current };
  using database = connect(file);
  return { version: identityOf(database).version, current };
}
