import type { DatabaseSync } from "node:sqlite";
import type { Deployment } from "../../domain/deployment.ts";
import { messageOf, StartupError } from "../../domain/errors.ts";
import { insertDeployment, requireDeployment, SELECT_DEPLOYMENT } from "../sql/deployment.ts";
import { currentVersion, OLDEST_VERSION, pending, requireReleased, requireSupported } from "../sql/sql.ts";
import { IN_MEMORY, rollBack } from "./errors.ts";
import { HighWaterMarkFile, skipEventIds } from "./ids.ts";
import { migrations } from "./migrations.ts";

/** The application_id in the header of a Petstore database: "pets" in ASCII. */
export const APPLICATION_ID = 0x70657473;

/**
 * A database file, or IN_MEMORY, and the deployment that it belongs to. With `create` a new one may take the place of one
 * that is missing. `migrations` lead to its schema, those of this version by default, and `oldest` is their OLDEST_VERSION.
 * `lock`: in a process of a service, the identity of the lock that the service holds. `isAlone`: this process is all of the
 * service, so that others change the file only now and then.
 */
export type StoreFile = {
  path: string;
  deployment: Deployment;
  create?: boolean;
  migrations?: readonly string[];
  oldest?: number;
  lock?: string | undefined;
  isAlone?: boolean | undefined;
};

type Identity = { applicationId: number; version: number };

/** Reads the header of a file. Both values are 0 in a new, empty file. */
export function identityOf(database: Pick<DatabaseSync, "prepare">): Identity {
  return { applicationId: pragma(database, "application_id"), version: pragma(database, "user_version") % OLDEST };
}

/** What the oldest version that may use the schema is multiplied by in user_version, beside the schema's own, if it is an older one. */
const OLDEST = 0x1_0000;

function pragma(database: Pick<DatabaseSync, "prepare">, name: "application_id" | "user_version"): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}

/** Whether a file is neither a Petstore database nor empty. */
export function isForeign(database: DatabaseSync): boolean {
  // Read before the header: another process may be creating the schema, in one transaction with the header.
  const isEmpty = database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
  const { applicationId } = identityOf(database);
  return applicationId !== APPLICATION_ID && !(applicationId === 0 && isEmpty);
}

export function currentVersionFor(file: StoreFile): number {
  return currentVersion(file.migrations ?? migrations);
}

/**
 * @throws StartupError when the file belongs to another program, to a version of this one that is too new, to a checkout from
 * before the first release, or to the other deployment
 */
export function requirePetstoreFile(database: DatabaseSync, file: StoreFile): void {
  const { path } = file;
  if (isForeign(database)) throw new StartupError(`${path} is a database, but not a petstore's.`);
  const oldest = Math.floor(pragma(database, "user_version") / OLDEST);
  requireSupported({ version: identityOf(database).version, oldest }, currentVersionFor(file), path);
  requireOwn(database, file);
}

/**
 * @throws StartupError when the file belongs to a checkout from before the first release, or to the other deployment, and an Error
 * when it does not belong to one
 */
export function requireOwn(database: DatabaseSync, { path, deployment }: StoreFile): void {
  const { version } = identityOf(database);
  if (version === 0) return;
  requireReleased(version, path);
  const rows = database.prepare(sqlite(SELECT_DEPLOYMENT)).all();
  if (rows.length !== 1) throw new Error("its deployment cannot be read");
  requireDeployment(rows[0], deployment, path);
}

/**
 * Brings the schema up to date in one transaction, which also locks the file. Returns the versions before and after.
 * @throws StartupError
 */
export function migrate(database: DatabaseSync, file: StoreFile): { from: number; to: number } {
  requirePetstoreFile(database, file);
  const to = currentVersionFor(file);
  const { version } = identityOf(database);
  // An up-to-date file is only read, so that it opens on a full disk too.
  if (version >= to) return { from: version, to: version };
  try {
    // A migration may rebuild a table that foreign keys refer to (sqlite.org/lang_altertable.html, section 7).
    database.exec("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE");
    requirePetstoreFile(database, file);
    const { version: from } = identityOf(database);
    const isPlain = file.path === IN_MEMORY && !hasFts5(database);
    for (const [, migration] of pending(file.migrations ?? migrations, from)) {
      database.exec(isPlain ? withoutFts5(migration) : migration);
    }
    const { oldest = OLDEST_VERSION } = file;
    // Another process may have been here first, even one of a newer version.
    const header = to + (oldest < to ? oldest * OLDEST : 0);
    if (from < to) database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${header}`);
    database.exec(sqlite(insertDeployment(file.deployment)));
    requireOwn(database, file);
    if (from === 0) startMark(database, file);
    database.exec("COMMIT");
    return { from, to: Math.max(from, to) };
  } catch (error) {
    rollBack(database);
    if (error instanceof StartupError) throw error;
    throw new StartupError(`${file.path} cannot be brought up to date: ${messageOf(error)}.`);
  } finally {
    database.exec("PRAGMA foreign_keys = ON");
  }
}

/** Node before 22.16 does not have it. */
function hasFts5(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'").get() !== undefined;
}

/** Makes plain tables of those that are indexes of texts, without their lists of parts: fast enough in memory. */
function withoutFts5(migration: string): string {
  return migration
    .replace(/CREATE VIRTUAL TABLE (\w+) USING fts5 \((\w+), (\w+)[^;]*;/g, "CREATE TABLE $1 ($2, $3);")
    .replace(/CREATE VIRTUAL TABLE \w+ USING fts5vocab [^;]*;/g, "");
}

/** A new database goes on with the ids of one that is gone, if its mark is left. Call it within a transaction. */
function startMark(database: DatabaseSync, { path }: StoreFile): void {
  if (path === IN_MEMORY) return;
  using mark = new HighWaterMarkFile(path);
  if ((mark.read()?.reserved ?? 0) > 0) skipEventIds(database);
  mark.replace(0);
}

/** A statement of `Sql`. A file is one schema, and one transaction at a time writes it: neither is named, no row is locked. */
export function sqlite(text: string): string {
  return text.replaceAll("petstore.", "").replace(/ FOR (UPDATE|SHARE)( SKIP LOCKED)?/g, "");
}
