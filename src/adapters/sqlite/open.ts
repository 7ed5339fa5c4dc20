import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartupError } from "../../domain/startup-error.ts";
import { reasonOf } from "./errors.ts";
import { requireOurs, type StoreFile } from "./migrate.ts";
import { requireNotLost } from "./traces.ts";

/** Older ones can corrupt a database whose write-ahead log is reset while another process reads it. */
const OLDEST_SQLITE = "3.51.3";

/** How long a read blocks while another process locks the file, in ms. */
export const READ_BUSY_TIMEOUT = 250;

/** A connection with the service's settings. `busyTimeout`: how long it blocks while another process locks the file, in ms. */
export function connect(file: StoreFile, busyTimeout: number): DatabaseSync {
  const { path } = file;
  requireNotLost(file);
  const database = openFile(path);
  try {
    // First: what follows already reads the file, and another process may be creating it just now.
    database.exec(`PRAGMA busy_timeout = ${busyTimeout}`);
    refuseOldSqlite(database);
    // A file of another program or deployment is left as it is, also its journal mode.
    requireOurs(database, file);
    database.exec(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON; PRAGMA cache_size = -16384",
    );
    return database;
  } catch (error) {
    database.close();
    throw error instanceof StartupError ? error : new StartupError(`${path} cannot be used: ${reasonOf(error)}.`);
  }
}

function openFile(path: string): DatabaseSync {
  try {
    mkdirSync(dirname(path), { recursive: true });
    return new DatabaseSync(path);
  } catch (error) {
    throw new StartupError(`${path} cannot be opened: ${reasonOf(error)}.`);
  }
}

function refuseOldSqlite(database: DatabaseSync): void {
  const version = String(database.prepare("SELECT sqlite_version() AS version").get()?.version);
  if (isOlder(version, OLDEST_SQLITE)) {
    throw new StartupError(
      `This runtime brings SQLite ${version}, which can corrupt data; ${OLDEST_SQLITE} or newer is needed. Use a newer Node, or Bun (the default).`,
    );
  }
}

/** Whether version `a` comes before `b`; both are dotted numbers. */
export function isOlder(a: string, b: string): boolean {
  const [left, right] = [a.split(".").map(Number), b.split(".").map(Number)];
  for (const [i, number] of right.entries()) {
    const other = left[i] ?? 0;
    if (other !== number) return other < number;
  }
  return false;
}
