import { closeSync, existsSync, openSync, readSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { messageOf, StartupError, unavailable } from "../../domain/errors.ts";

/** Runs a read. @throws service_unavailable for any error of SQLite */
export function read<T>(query: () => T): T {
  try {
    return query();
  } catch (error) {
    throw asUnavailable(error);
  }
}

export function asUnavailable(error: unknown): unknown {
  return errcodeOf(error) === undefined ? error : unavailable(error);
}

const hasCode = (code: number) => (error: unknown) => errcodeOf(error) === code;
/** SQLITE_BUSY: another connection holds the required lock. */
export const isBusy = hasCode(5);
/** SQLITE_CORRUPT, SQLITE_FULL, SQLITE_NOTADB. */
export const isCorrupt = hasCode(11);
export const isFull = hasCode(13);
export const isNotDatabase = hasCode(26);

/** Returns SQLite's primary result code, or undefined for another error. */
function errcodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return Number(error.errcode) & 0xff;
}

/** The index of the log, which SQLite creates when a file is opened, in bytes. */
const INDEX_SIZE = 32_768;
/** Where SQLite's header has the size of a page, in which 1 stands for 65,536, and the number of pages. */
const PAGE_SIZE_AT = 16;
const PAGES_AT = 28;
const HEADER_LENGTH = 100;
const RESTORE = "Restore a backup that is intact with `petstore database restore`.";

/** Explains why a database file cannot be used, and what to do. Returns a StartupError as it is. */
export function openError(path: string, error: unknown): StartupError {
  if (error instanceof StartupError) return error;
  return new StartupError(`${path} cannot be used: ${messageOf(error)}. ${remedy(path, error)}`);
}

/** Says that a row of a database file cannot be decoded. */
export function rowError(path: string, row: string, error: unknown): StartupError {
  return new StartupError(
    `${path} cannot be used: ${row} cannot be decoded: ${messageOf(error)}. It is damaged. ${RESTORE}`,
  );
}

function remedy(path: string, error: unknown): string {
  if (isNotDatabase(error)) return `Set DATABASE_URL to a Petstore database. If it was one, it is damaged. ${RESTORE}`;
  if (isCorrupt(error)) return `${damageOf(path)} ${RESTORE}`;
  if (isDiskFull(path)) return `Its disk is full: free at least ${INDEX_SIZE / 1024} kB.`;
  return "Check DATABASE_URL, the disk, and whether this user may write the file and its directory.";
}

function damageOf(path: string): string {
  const { size } = statSync(path);
  const expected = Math.max(HEADER_LENGTH, sizeByHeader(path));
  if (size >= expected) return "It is damaged.";
  return `It is cut off: ${size.toLocaleString("en")} of ${expected.toLocaleString("en")} bytes are left.`;
}

function sizeByHeader(path: string): number {
  const header = Buffer.alloc(HEADER_LENGTH);
  const file = openSync(path, "r");
  readSync(file, header);
  closeSync(file);
  const pageSize = header.readUInt16BE(PAGE_SIZE_AT);
  return (pageSize === 1 ? 65_536 : pageSize) * header.readUInt32BE(PAGES_AT);
}

/** Whether the disk of a database has no room for the index of its log. */
export function isDiskFull(path: string): boolean {
  const directory = dirname(path);
  if (!existsSync(directory)) return false;
  const { blocks, bavail, bsize } = statfsSync(directory);
  return blocks > 0 && bavail * bsize < INDEX_SIZE;
}

/**
 * Ends the transaction that is open after an error. On some errors, such as a full disk, SQLite has rolled back by itself:
 * then ROLLBACK fails, "but no harm is caused by this" (sqlite.org/lang_transaction.html). Node before 22.16 does not report
 * whether a transaction is open.
 */
export function rollBack(database: DatabaseSync): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // What is reported is the error before it.
  }
}

/** The path of a database in memory: SQLite's own name for it. Only its connection sees it, and nothing is on disk. */
export const IN_MEMORY = ":memory:";
