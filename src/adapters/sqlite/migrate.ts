import type { DatabaseSync } from "node:sqlite";
import { StartupError } from "../../domain/startup-error.ts";
import { initial } from "./migrations/0001-initial.ts";
import { creations } from "./migrations/0002-creations.ts";
import { usage } from "./migrations/0003-usage.ts";
import { administration } from "./migrations/0004-administration.ts";
import { keyVersions } from "./migrations/0005-key-versions.ts";

/** All migrations, in order. The statements of a released one never change. */
const migrations: string[] = [initial, creations, usage, administration, keyVersions];

export const SCHEMA_VERSION = migrations.length;

/** The application_id in the header of a Petstore database: "pets" in ASCII. */
export const APPLICATION_ID = 0x70657473;

export type Identity = { applicationId: number; version: number };

/** Reads the header of a file. Both values are 0 in a new, empty file. */
export function identityOf(database: Pick<DatabaseSync, "prepare">): Identity {
  return { applicationId: pragma(database, "application_id"), version: pragma(database, "user_version") };
}

function pragma(database: Pick<DatabaseSync, "prepare">, name: "application_id" | "user_version"): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}

/** @throws StartupError when the file belongs to another program, or to a newer version of this one */
export function requirePetstoreFile(database: DatabaseSync, path: string): void {
  // Read before the header: another process may be creating the schema, in one transaction with the header.
  const isEmpty = database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
  const { applicationId, version } = identityOf(database);
  if (version > SCHEMA_VERSION) {
    throw new StartupError(
      `${path} was written by a newer petstore (schema ${version}, this one supports ${SCHEMA_VERSION}). Run that version, or restore a backup made with this one.`,
    );
  }
  if (applicationId === APPLICATION_ID) return;
  if (applicationId !== 0 || !isEmpty) throw new StartupError(`${path} is a database, but not a petstore's.`);
}

/** Brings the schema up to date in one transaction, which also locks the file. Returns the number of migrations that ran. */
export function migrate(database: DatabaseSync, path: string): number {
  requirePetstoreFile(database, path);
  // A migration may rebuild a table that foreign keys refer to (sqlite.org/lang_altertable.html, section 7).
  database.exec("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE");
  try {
    requirePetstoreFile(database, path);
    const { version } = identityOf(database);
    for (const migration of migrations.slice(version)) database.exec(migration);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`);
    database.exec("COMMIT");
    return SCHEMA_VERSION - version;
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  } finally {
    database.exec("PRAGMA foreign_keys = ON");
  }
}
