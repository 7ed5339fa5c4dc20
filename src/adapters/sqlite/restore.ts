import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { StartupError } from "../../domain/startup-error.ts";
import { isBusy, reasonOf } from "./errors.ts";
import { type Contents, contentsOf, openToRead } from "./inspect.ts";
import { APPLICATION_ID, identityOf, requireOwn, type StoreFile } from "./migrate.ts";

/** What was put in place, and where the database before it is kept, if there was one. */
export type Restored = Contents & { kept: string | undefined };

/** All pages in one step: as many as there can be. */
const AT_ONCE = { rate: 2 ** 31 - 1 };

/**
 * Puts a backup in the place of a database, and keeps that one as `kept`. SQLite itself writes the pages, in
 * one transaction and into the same file: a crash leaves the old database or the new one, and a process that opens the
 * file meanwhile waits, and sees the new one.
 * @throws StartupError when the backup is damaged or not this deployment's, or a process has the database open: nothing is changed then
 */
export async function restoreDatabase(source: string, file: StoreFile, kept: string): Promise<Restored> {
  const { path, deployment } = file;
  const database = openToRead({ path: source, deployment });
  try {
    requireOther(source, path);
    const contents = contentsOf(database);
    const isThere = existsSync(path);
    if (isThere) await keep(file, kept);
    else requireNoLeftovers(path);
    mkdirSync(dirname(path), { recursive: true });
    await copy(database, path);
    return { ...contents, kept: isThere ? kept : undefined };
  } finally {
    database.close();
  }
}

function requireOther(source: string, path: string): void {
  if (!existsSync(path)) return;
  const [a, b] = [statSync(source), statSync(path)];
  if (a.ino === b.ino && a.dev === b.dev) throw new StartupError(`${source} is the database itself.`);
}

async function keep(file: StoreFile, kept: string): Promise<void> {
  const database = openExclusively(file);
  try {
    await copy(database, kept);
  } finally {
    database.close();
  }
}

/**
 * Opens a database that no other process has open. Leaving the write-ahead log needs exclusive access: SQLite refuses while
 * there is any other connection, however idle; where it succeeds, the log is written back and removed.
 */
function openExclusively(file: StoreFile): DatabaseSync {
  const { path } = file;
  const database = openFile(path);
  try {
    requireReplaceable(database, file);
    database.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE");
    return database;
  } catch (error) {
    database.close();
    if (error instanceof StartupError) throw error;
    if (isBusy(error))
      throw new StartupError(`${path} is in use. Stop the service, and whatever else has it open, first.`);
    throw new StartupError(
      `${path} is damaged (${reasonOf(error)}), so it does not tell whether a service uses it. Stop the service, move ${path}, ${path}-wal and ${path}-shm away, and restore again.`,
    );
  }
}

/** A newer petstore's database may be replaced: that is how one goes back to an older version. */
function requireReplaceable(database: DatabaseSync, file: StoreFile): void {
  const { applicationId } = identityOf(database);
  if (applicationId !== 0 && applicationId !== APPLICATION_ID) {
    throw new StartupError(`${file.path} is another program's database. DATABASE_URL has to name the petstore's.`);
  }
  requireOwn(database, file);
}

function openFile(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path);
  } catch (error) {
    throw new StartupError(`${path} cannot be opened: ${reasonOf(error)}.`);
  }
}

/** A log that its database has left behind belongs to other pages than those that are about to be written. */
function requireNoLeftovers(path: string): void {
  const left = [`${path}-wal`, `${path}-journal`].find((file) => existsSync(file));
  if (left !== undefined)
    throw new StartupError(`${left} is left of another database. Move it away, and restore again.`);
}

async function copy(database: DatabaseSync, target: string): Promise<void> {
  try {
    await backup(database, target, AT_ONCE);
  } catch (error) {
    throw new StartupError(`${target} cannot be written: ${reasonOf(error)}.`);
  }
}
