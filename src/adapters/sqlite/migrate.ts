import type { DatabaseSync } from "node:sqlite";
import { StartupError } from "../../domain/startup-error.ts";
import { initial } from "./migrations/0001-initial.ts";
import { creations } from "./migrations/0002-creations.ts";
import { usage } from "./migrations/0003-usage.ts";
import { administration } from "./migrations/0004-administration.ts";
import { keyVersions } from "./migrations/0005-key-versions.ts";

/** Every step of the schema, in order. A step that was released is never edited; a new one is added below it. */
const migrations: string[] = [initial, creations, usage, administration, keyVersions];

export const SCHEMA_VERSION = migrations.length;

/** Marks a file as a petstore's: "pets" in ASCII, in the SQLite header. */
export const APPLICATION_ID = 0x70657473;

export type Identity = { applicationId: number; version: number };

/** What the header of a file says. That of a new, empty one says 0 and 0. */
export function identityOf(database: Pick<DatabaseSync, "prepare">): Identity {
  return { applicationId: pragma(database, "application_id"), version: pragma(database, "user_version") };
}

function pragma(database: Pick<DatabaseSync, "prepare">, name: "application_id" | "user_version"): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}

/** @throws StartupError when the file belongs to another program, or to a newer version of this one */
export function requireOurs(database: DatabaseSync, path: string): void {
  // Read first: another process may be filling the file just now, and the header is written in the same transaction.
  const isEmpty = database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
  const { applicationId, version } = identityOf(database);
  if (version > SCHEMA_VERSION) {
    throw new StartupError(
      `${path} was written by a newer petstore (schema ${version}, this one knows ${SCHEMA_VERSION}). Run that version, or restore a backup made with this one.`,
    );
  }
  if (applicationId === APPLICATION_ID) return;
  if (applicationId !== 0 || !isEmpty) throw new StartupError(`${path} is a database, but not a petstore's.`);
}

/** Brings the schema up to date, all steps in one transaction; processes that start at the same time take turns. Returns how many. */
export function migrate(database: DatabaseSync, path: string): number {
  requireOurs(database, path);
  // A step may build a table again that others refer to (sqlite.org/lang_altertable.html, section 7).
  database.exec("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE");
  try {
    requireOurs(database, path);
    const { version } = identityOf(database);
    for (const step of migrations.slice(version)) database.exec(step);
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
