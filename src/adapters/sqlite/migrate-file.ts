import { migrate, SCHEMA_VERSION, type StoreFile } from "./migrate.ts";
import { connect } from "./open.ts";

/** How long it waits for another process that writes, in ms. */
const BUSY_TIMEOUT = 10_000;

/** Brings the schema of a file up to date, creating it when it is missing. Returns both versions. @throws StartupError */
export function migrateDatabase(file: StoreFile): { from: number; to: number } {
  const database = connect(file, BUSY_TIMEOUT);
  try {
    const steps = migrate(database, file);
    return { from: SCHEMA_VERSION - steps, to: SCHEMA_VERSION };
  } finally {
    database.close();
  }
}
