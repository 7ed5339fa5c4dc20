import { chmodSync, constants, copyFileSync, existsSync, rmSync, truncateSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { messageOf, StartupError } from "../../domain/errors.ts";
import { type CheckedBackup, checkBackup } from "./backup.ts";
import { openToRead } from "./check.ts";
import { isBusy } from "./errors.ts";
import { CONTENTS, createPrivate, fileSize, identityAt, requirePlainFile, syncFile } from "./files.ts";
import { HighWaterMarkFile, lastIdIn, skipEventIds } from "./ids.ts";
import { isForeign, requireOwn, type StoreFile } from "./migrate.ts";
import { remnantOf } from "./open.ts";
import { inUse, lockOutServices } from "./serving-lock.ts";

/** The files that SQLite puts beside a database. */
const BESIDE = ["-wal", "-journal", "-shm"];

/**
 * Copies the files of a database byte by byte, under another name and durably: to open a damaged one, or one beside a log
 * that is not its own, would change it. Returns the copies. @throws StartupError, without a copy, when there is no room
 */
function copyFiles(path: string, kept: string): string[] {
  const endings = CONTENTS.filter((ending) => fileSize(path + ending) > 0);
  if (CONTENTS.some((ending) => existsSync(kept + ending))) throw new StartupError(`${kept} exists already.`);
  try {
    for (const ending of endings) copyFileSync(path + ending, kept + ending, constants.COPYFILE_EXCL);
    const copies = endings.map((ending) => kept + ending);
    for (const file of copies) {
      chmodSync(file, 0o600);
      syncFile(file);
    }
    if (copies.length > 0) syncFile(dirname(kept));
    return copies;
  } catch (error) {
    removeCopies(kept);
    throw new StartupError(`${path} cannot be copied to ${kept}: ${messageOf(error)}.`);
  }
}

function removeCopies(kept: string): void {
  for (const ending of CONTENTS) rmSync(kept + ending, { force: true });
}

/** Empties a database. Its file keeps its owner and permissions: the command may run as another user than the service. */
function emptyDatabase(path: string): void {
  truncateSync(path);
  for (const ending of BESIDE) rmSync(path + ending, { force: true });
}

/** The backup, and the copies of the previous database and its log, as far as there were any. */
type Restored = Omit<CheckedBackup, "problems"> & { kept: string[] };

/** All pages in one step: the largest rate. */
const AT_ONCE = { rate: 2 ** 31 - 1 };

/**
 * Replaces a database with a backup, and keeps a copy of the previous one, with its log, as `kept`. SQLite writes the pages
 * to the same file in one transaction: after a crash it is the old or the new database, and a process that opens it meanwhile
 * waits for the new one. A database that is damaged is emptied first.
 * @throws StartupError, without any change, when the backup is damaged or not this deployment's, the database is open, or
 * there is none and `create` is not set; and what `requireWritten` throws about a backup that is not what was written
 */
export async function restoreDatabase(
  source: string,
  file: StoreFile,
  kept: string,
  requireWritten: (found: CheckedBackup) => void = () => {},
): Promise<Restored> {
  const { path, deployment } = file;
  const found = checkBackup({ path: source, deployment });
  const { problems, ...contents } = found;
  if (existsSync(path) && identityAt(source) === identityAt(path)) {
    throw new StartupError(`${source} is the database itself.`);
  }
  requireReplaceable(file);
  // First: what is not the file that was written may be damaged in any way.
  requireWritten(found);
  if (problems.length > 0) throw new StartupError(`${source} is damaged: ${problems.join("; ")}.`);
  using database = openToRead({ path: source, deployment });
  using _ = lockOutServices(path);
  const copies = copyFiles(path, kept);
  makeWay(path, kept);
  createPrivate(path);
  await copy(database, path);
  skipEventIdsOf(path);
  using mark = new HighWaterMarkFile(path);
  mark.replace(lastIdIn(database));
  return { ...contents, kept: copies };
}

/**
 * Allows the database of a newer version, so that you can go back to an older one, and a file that cannot be read, or is
 * missing, if others beside it show that it was a database.
 */
function requireReplaceable(file: StoreFile): void {
  const { path, create = false } = file;
  const wasDatabase = remnantOf(path) !== undefined;
  if (!existsSync(path)) {
    if (create || wasDatabase) return;
    throw new StartupError(
      `There is no database ${path} to replace. Set DATABASE_URL to the database, or restore to a new one with --create.`,
    );
  }
  requirePlainFile(path);
  try {
    using database = new DatabaseSync(path, { readOnly: true });
    if (isForeign(database)) {
      throw new StartupError(`${path} belongs to another program. Set DATABASE_URL to a Petstore database.`);
    }
    requireOwn(database, file);
  } catch (error) {
    if (error instanceof StartupError) throw error;
    if (wasDatabase) return;
    throw new StartupError(
      `${path} cannot be read (${messageOf(error)}), and no file beside it shows that it was a Petstore database. Set DATABASE_URL to the database, or move that file away.`,
    );
  }
}

/**
 * Leaves an intact database without a log, or none: SQLite would apply a log that is left to the restored database. It
 * removes one beside a file that is missing.
 */
function makeWay(path: string, kept: string): void {
  try {
    if (existsSync(path)) closeLog(path);
  } catch (error) {
    if (isBusy(error)) {
      removeCopies(kept);
      throw inUse(path);
    }
    emptyDatabase(path);
  }
}

/**
 * Changing the journal mode from WAL requires exclusive access: SQLite refuses while there is any other connection, even an
 * idle one. It also writes back and removes the log.
 */
function closeLog(path: string): void {
  using database = new DatabaseSync(path);
  database.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE");
}

function skipEventIdsOf(path: string): void {
  using database = new DatabaseSync(path);
  database.exec("BEGIN IMMEDIATE");
  skipEventIds(database);
  database.exec("COMMIT");
}

async function copy(database: DatabaseSync, target: string): Promise<void> {
  try {
    // Node 22.13, where `testing` runs too, has no such function.
    const { backup } = await import("node:sqlite");
    await backup(database, target, AT_ONCE);
  } catch (error) {
    throw new StartupError(`${target} cannot be written: ${messageOf(error)}.`);
  }
}
