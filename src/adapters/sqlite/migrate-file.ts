import { migrate, SCHEMA_VERSION } from "./migrate.ts";
import { connect } from "./open.ts";

/** How long the migration waits for a lock of another process, in ms. */
const BUSY_TIMEOUT = 10_000;

/** Creates the file if it is missing, and brings its schema up to date. Returns both versions. @throws StartupError */
export function migrateDatabase(path: string): { from: number; to: number } {
  const database = connect(path, BUSY_TIMEOUT);
  try {
    const steps = migrate(database, path);
    return { from: SCHEMA_VERSION - steps, to: SCHEMA_VERSION };
  } finally {
    database.close();
  }
}
