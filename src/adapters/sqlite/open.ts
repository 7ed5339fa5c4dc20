import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { StartupError } from "../../domain/errors.ts";
import { IN_MEMORY, isDiskFull, openError } from "./errors.ts";
import { canWrite, createPrivate, fileSize, openReadOnly, requireIndex, requirePlainFile } from "./files.ts";
import { requirePetstoreFile, type StoreFile } from "./migrate.ts";
import { Reserve } from "./reserve.ts";

/** What remains beside a database that was in use: its log, the log's index, the lock of the service, and the mark of ids. */
const REMNANTS = ["-wal", "-shm", ".lock", ".ids"];

/**
 * Refuses to create a database in the place of one that is missing or empty, unless the operator asks for it: an empty
 * catalogue with new keys would take the place of what is lost. @throws StartupError
 */
export function requireNotLost({ path, create = false }: Pick<StoreFile, "path" | "create">): void {
  if (create || fileSize(path) > 0) return;
  const remnant = remnantOf(path);
  if (remnant === undefined) return;
  throw new StartupError(
    `The database ${path} is missing, and ${remnant} shows that there was one. Put it back, restore a backup with \`petstore database restore\`, or create an empty one with --create.`,
  );
}

/** A file beside this path that shows that there was a database. */
export function remnantOf(path: string): string | undefined {
  return REMNANTS.map((ending) => `${path}${ending}`).find((file) => existsSync(file));
}

/** Older versions can corrupt a database whose write-ahead log is reset while another process reads it. */
const MIN_SQLITE_VERSION = "3.51.3";

const SETTINGS = "PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON; PRAGMA cache_size = -8192";

/** How long a read waits for a lock of another process, in ms. */
export const READ_BUSY_TIMEOUT = 250;
/** How long others wait for a lock of another process, such as one that creates the database or brings it up to date, in ms. */
const BUSY_TIMEOUT = 10_000;

/**
 * Opens a connection with the service's settings: on a full disk with the space that is reserved, and where this user may not
 * write the file, to read it. `busyTimeout`: how long it
 * waits for a lock, in ms. @throws StartupError
 */
export function connect(file: StoreFile, busyTimeout = BUSY_TIMEOUT): DatabaseSync {
  if (file.path === IN_MEMORY) return openInMemory();
  try {
    return connectOnce(file, busyTimeout);
  } catch (error) {
    if (!existsSync(file.path) || !canWrite(file.path) || !isDiskFull(file.path) || !new Reserve(file.path).release())
      throw error;
    return connectOnce(file, busyTimeout);
  }
}

function connectOnce(file: StoreFile, busyTimeout: number): DatabaseSync {
  const { path } = file;
  requireNotLost(file);
  if (existsSync(path)) requirePlainFile(path);
  requireIndex(path);
  const database = openFile(path);
  try {
    // This comes first: the next statements read the file, and another process may be creating it.
    database.exec(`PRAGMA busy_timeout = ${busyTimeout}`);
    refuseOldSqlite(database);
    // Before the journal mode, which would change the file of another program or deployment.
    requirePetstoreFile(database, file);
    if (canWrite(path)) database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    database.exec(SETTINGS);
    return database;
  } catch (error) {
    database.close();
    throw openError(path, error);
  }
}

/**
 * A new, empty database without temporary files. Any version of SQLite will do: it has no write-ahead log.
 * @throws StartupError on Node before 22.13, which has SQLite behind a flag
 */
function openInMemory(): DatabaseSync {
  const database = new DatabaseSync(IN_MEMORY);
  if (typeof database.function !== "function") {
    throw new StartupError("This Node is too old: 22.13 or newer is required, or Bun.");
  }
  database.exec(`PRAGMA temp_store = MEMORY; ${SETTINGS}`);
  return database;
}

function openFile(path: string): DatabaseSync {
  try {
    createPrivate(path);
    return canWrite(path) ? new DatabaseSync(path) : openReadOnly(path);
  } catch (error) {
    throw openError(path, error);
  }
}

function refuseOldSqlite(database: DatabaseSync): void {
  const version = String(database.prepare("SELECT sqlite_version() AS version").get()?.version);
  if (isOlder(version, MIN_SQLITE_VERSION)) {
    throw new StartupError(
      `This runtime has SQLite ${version}, which can corrupt data; ${MIN_SQLITE_VERSION} or newer is required. Use a newer Node, or Bun (the default).`,
    );
  }
}

/** Whether version `a` is older than `b`; both are dotted numbers. */
export function isOlder(a: string, b: string): boolean {
  return a.localeCompare(b, "en", { numeric: true }) < 0;
}
