/** Another connection is writing, or has the file to itself. */
export const SQLITE_BUSY = 5;

/** SQLite's primary result code, when the error is SQLite's. */
export function resultCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return Number(error.errcode) & 0xff;
}
