import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { StartupError } from "../../domain/startup-error.ts";
import { isBusy, reasonOf } from "./errors.ts";
import { IdMarkFile } from "./id-mark-file.ts";
import { lastIdIn } from "./ids.ts";
import { type Contents, contentsOf, openIntact } from "./inspect.ts";
import { APPLICATION_ID, identityOf, requireOwn, type StoreFile } from "./migrate.ts";

/** The restored contents, and the path of the previous database, if there was one. */
export type Restored = Contents & { kept: string | undefined };

/** All pages in one step: the largest rate. */
const AT_ONCE = { rate: 2 ** 31 - 1 };

/**
 * Replaces a database with a backup, and keeps a copy of the previous one as `kept`. SQLite writes the pages to the same
 * file in one transaction: after a crash it is the old or the new database, and a process that opens it meanwhile waits for
 * the new one.
 * @throws StartupError, without any change, when the backup is damaged or not this deployment's, or the database is open
 */
export async function restoreDatabase(source: string, file: StoreFile, kept: string): Promise<Restored> {
  const { path, deployment } = file;
  const database = openIntact({ path: source, deployment });
  try {
    requireOther(source, path);
    const contents = contentsOf(database);
    const isReplaced = existsSync(path);
    if (isReplaced) await keep(file, kept);
    else requireNoLeftovers(path);
    mkdirSync(dirname(path), { recursive: true });
    await copy(database, path);
    using mark = new IdMarkFile(path);
    mark.replace(lastIdIn(database));
    return { ...contents, kept: isReplaced ? kept : undefined };
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
 * Opens a database that no other process has open. Changing the journal mode from WAL requires exclusive access: SQLite
 * refuses while there is any other connection, even an idle one. It also writes back and removes the log.
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
      throw new StartupError(`${path} is in use. Stop the service, and close the file in other programs.`);
    throw new StartupError(
      `${path} is damaged (${reasonOf(error)}), so petstore cannot check whether a service uses it. Stop the service, move ${path}, ${path}-wal and ${path}-shm away, and restore again.`,
    );
  }
}

/** Allows the database of a newer version, so that you can go back to an older one. */
function requireReplaceable(database: DatabaseSync, file: StoreFile): void {
  const { applicationId } = identityOf(database);
  if (applicationId !== 0 && applicationId !== APPLICATION_ID) {
    throw new StartupError(`${file.path} belongs to another program. Set DATABASE_URL to a Petstore database.`);
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

/** SQLite would apply a leftover log of another database to the restored one. */
function requireNoLeftovers(path: string): void {
  const left = [`${path}-wal`, `${path}-journal`].find((file) => existsSync(file));
  if (left !== undefined)
    throw new StartupError(`${left} is a leftover of another database. Move it away, and restore again.`);
}

async function copy(database: DatabaseSync, target: string): Promise<void> {
  try {
    await backup(database, target, AT_ONCE);
  } catch (error) {
    throw new StartupError(`${target} cannot be written: ${reasonOf(error)}.`);
  }
}
