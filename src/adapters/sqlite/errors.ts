import { unavailable } from "../../domain/errors.ts";

const SQLITE_BUSY = 5;

/** Runs a read. @throws service_unavailable when SQLite fails, for whatever reason */
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

/** Whether another connection holds the lock that was needed. */
export function isBusy(error: unknown): boolean {
  return errcodeOf(error) === SQLITE_BUSY;
}

/** What SQLite, or the file system, says was wrong. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** SQLite's primary result code, when the error is SQLite's. */
function errcodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return Number(error.errcode) & 0xff;
}
