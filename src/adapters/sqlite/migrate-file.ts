import { migrate, SCHEMA_VERSION } from "./migrate.ts";
import { connect } from "./open.ts";

/** How long it waits for another process that writes, in ms. */
const BUSY_TIMEOUT = 10_000;

/** Brings the schema of the file at `path` up to date, creating it when it is missing. Returns both versions. @throws StartupError */
export function migrateDatabase(path: string): { from: number; to: number } {
  const database = connect(path, BUSY_TIMEOUT);
  try {
    const steps = migrate(database, path);
    return { from: SCHEMA_VERSION - steps, to: SCHEMA_VERSION };
  } finally {
    database.close();
  }
}
