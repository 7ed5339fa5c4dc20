import type { DatabaseSync } from "node:sqlite";
import type { Deployment } from "../../domain/deployment.ts";
import { StartupError } from "../../domain/startup-error.ts";
import { DEPLOYMENT_RECORDED, insertDeployment, requireDeployment, SELECT_DEPLOYMENT } from "../sql/deployment.ts";
import { reasonOf } from "./errors.ts";
import { initial } from "./migrations/0001-initial.ts";
import { creations } from "./migrations/0002-creations.ts";
import { usage } from "./migrations/0003-usage.ts";
import { administration } from "./migrations/0004-administration.ts";
import { keyVersions } from "./migrations/0005-key-versions.ts";
import { deployment } from "./migrations/0006-deployment.ts";

/** Every step of the schema, in order. A step that was released is never edited; a new one is added below it. */
const migrations: string[] = [initial, creations, usage, administration, keyVersions, deployment];

export const SCHEMA_VERSION = migrations.length;

/** Marks a file as a petstore's: "pets" in ASCII, in the SQLite header. */
export const APPLICATION_ID = 0x70657473;

/**
 * A database file, and the deployment that it belongs to. With `create` a new one may take the place of one that is
 * missing.
 */
export type StoreFile = { path: string; deployment: Deployment; create?: boolean };

export type Identity = { applicationId: number; version: number };

/** What the header of a file says. That of a new, empty one says 0 and 0. */
export function identityOf(database: Pick<DatabaseSync, "prepare">): Identity {
  return { applicationId: pragma(database, "application_id"), version: pragma(database, "user_version") };
}

function pragma(database: Pick<DatabaseSync, "prepare">, name: "application_id" | "user_version"): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}

/** @throws StartupError when the file belongs to another program, to a newer version of this one, or to the other deployment */
export function requireOurs(database: DatabaseSync, file: StoreFile): void {
  const { path } = file;
  // Read first: another process may be filling the file just now, and the header is written in the same transaction.
  const isEmpty = database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
  const { applicationId, version } = identityOf(database);
  if (version > SCHEMA_VERSION) {
    throw new StartupError(
      `${path} was written by a newer petstore (schema ${version}, this one knows ${SCHEMA_VERSION}). Run that version, or restore a backup made with this one.`,
    );
  }
  const isNew = applicationId === 0 && isEmpty;
  if (applicationId !== APPLICATION_ID && !isNew)
    throw new StartupError(`${path} is a database, but not a petstore's.`);
  requireOwn(database, file);
}

/** @throws StartupError when the file belongs to the other deployment */
export function requireOwn(database: DatabaseSync, { path, deployment }: StoreFile): void {
  if (identityOf(database).version < DEPLOYMENT_RECORDED) return;
  requireDeployment(database.prepare(sqlite(SELECT_DEPLOYMENT)).get(), deployment, path);
}

/** A statement of `Sql`. A file is one schema, so the schema's name is left out. */
export function sqlite(text: string): string {
  return text.replaceAll("petstore.", "");
}

/** Brings the schema up to date, all steps in one transaction; processes that start at the same time take turns. Returns how many. */
export function migrate(database: DatabaseSync, file: StoreFile): number {
  requireOurs(database, file);
  // What is up to date is only read, so that it opens on a full disk too.
  if (identityOf(database).version === SCHEMA_VERSION) return 0;
  try {
    // A step may build a table again that others refer to (sqlite.org/lang_altertable.html, section 7).
    database.exec("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE");
    requireOurs(database, file);
    const { version } = identityOf(database);
    for (const step of migrations.slice(version)) database.exec(step);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`);
    database.exec(sqlite(insertDeployment(file.deployment)));
    requireOwn(database, file);
    database.exec("COMMIT");
    return SCHEMA_VERSION - version;
  } catch (error) {
    // On some errors, a full disk among them, SQLite has rolled back by itself.
    if (database.isTransaction) database.exec("ROLLBACK");
    if (error instanceof StartupError) throw error;
    throw new StartupError(`${file.path} cannot be brought up to date: ${reasonOf(error)}.`);
  } finally {
    database.exec("PRAGMA foreign_keys = ON");
  }
}
