import { DatabaseSync } from "node:sqlite";
import { APPLICATION_ID } from "../../../src/adapters/sqlite/migrate.ts";
import { initial } from "../../../src/adapters/sqlite/migrations/0001-initial.ts";
import { creations } from "../../../src/adapters/sqlite/migrations/0002-creations.ts";
import { usage } from "../../../src/adapters/sqlite/migrations/0003-usage.ts";
import { administration } from "../../../src/adapters/sqlite/migrations/0004-administration.ts";
import { keyVersions } from "../../../src/adapters/sqlite/migrations/0005-key-versions.ts";

/** Creates a database of schema 5, as a service of that version has it open. */
export function openSchema5(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL");
  for (const step of [initial, creations, usage, administration, keyVersions]) database.exec(step);
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 5`);
  return database;
}
