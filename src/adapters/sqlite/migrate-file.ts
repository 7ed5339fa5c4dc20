import { migrate, SCHEMA_VERSION } from "./migrate.ts";
import { connect } from "./open.ts";

/** How long it waits for another process that writes, in ms. */
const PATIENCE = 10_000;

/** Brings the schema of the file at `path` up to date, creating it when it is missing. Gives both versions. @throws Unusable */
export function migrateDatabase(path: string): { from: number; to: number } {
  const database = connect(path, PATIENCE);
  try {
    const steps = migrate(database, path);
    return { from: SCHEMA_VERSION - steps, to: SCHEMA_VERSION };
  } finally {
    database.close();
  }
}
