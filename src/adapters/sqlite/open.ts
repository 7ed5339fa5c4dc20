import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartupError } from "../../domain/startup-error.ts";
import { IN_MEMORY } from "./in-memory.ts";
import { requireIndex } from "./index-file.ts";
import { requirePetstoreFile, type StoreFile } from "./migrate.ts";
import { openError } from "./open-error.ts";
import { requirePlainFile } from "./plain-file.ts";
import { requireNotLost } from "./remnants.ts";

/** Older versions can corrupt a database whose write-ahead log is reset while another process reads it. */
const MIN_SQLITE_VERSION = "3.51.3";

/** The settings of every connection. */
const SETTINGS = "PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON; PRAGMA cache_size = -8192";

/** How long a read waits for a lock of another process, in ms. */
export const READ_BUSY_TIMEOUT = 250;

/** Opens a connection with the service's settings. `busyTimeout`: how long it waits for a lock, in ms. @throws StartupError */
export function connect(file: StoreFile, busyTimeout: number): DatabaseSync {
  const { path } = file;
  if (path === IN_MEMORY) return openInMemory();
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
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${SETTINGS}`);
    return database;
  } catch (error) {
    database.close();
    throw openError(path, error);
  }
}

/**
 * A new, empty database without temporary files. Any version of SQLite will do: it has no write-ahead log.
 * @throws StartupError on Node before 22.13, where migrations cannot add functions
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
    mkdirSync(dirname(path), { recursive: true });
    return new DatabaseSync(path);
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
  const [left, right] = [a.split(".").map(Number), b.split(".").map(Number)];
  for (const [i, number] of right.entries()) {
    const other = left[i] ?? 0;
    if (other !== number) return other < number;
  }
  return false;
}
