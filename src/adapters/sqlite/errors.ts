import { unavailable } from "../../domain/errors.ts";

const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

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

/** Whether another connection holds the required lock. */
export function isBusy(error: unknown): boolean {
  return errcodeOf(error) === SQLITE_BUSY;
}

/** Whether a page of the file is damaged. */
export function isCorrupt(error: unknown): boolean {
  return errcodeOf(error) === SQLITE_CORRUPT;
}

/** Whether a file has another header than SQLite's. */
export function isNotDatabase(error: unknown): boolean {
  return errcodeOf(error) === SQLITE_NOTADB;
}

/** The message of SQLite or the file system. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns SQLite's primary result code, or undefined for another error. */
function errcodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return Number(error.errcode) & 0xff;
}
