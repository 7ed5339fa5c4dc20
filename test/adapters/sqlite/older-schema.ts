import { DatabaseSync } from "node:sqlite";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { APPLICATION_ID } from "../../../src/adapters/sqlite/migrate.ts";

/** Creates a database of this version, which is older than the next one, as a service has it open. */
export function openThisSchema(path: string): DatabaseSync {
  new Database({ path, deployment: "production" }).close();
  const database = new DatabaseSync(path);
  // Opens its log.
  database.prepare("SELECT count(*) FROM pets").get();
  return database;
}

/** Creates a database as a checkout from before the first release has it, with a schema of this version. */
export function createUnreleased(path: string, version: number): void {
  using database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${version};
    CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO pets VALUES (1, 'Rex')`);
}
