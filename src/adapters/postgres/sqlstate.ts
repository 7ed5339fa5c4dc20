/** Another transaction got in the way; the same statement may go through the next time (serialization_failure, deadlock_detected). */
const TRY_AGAIN = ["40001", "40P01"];
/**
 * After these a connection is of no use: connection exceptions, a server that is shutting down, one that takes no writes,
 * and a transaction that was idle for too long.
 */
const LOST = /^(08|57P|25006|25P03)/;

/** The SQLSTATE that the server gave (PostgreSQL, Appendix A), when the error is the server's. */
function sqlstateOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

export function isWorthAnotherTry(error: unknown): boolean {
  return TRY_AGAIN.includes(sqlstateOf(error) ?? "");
}

/** Whether the connection on which this happened must not be used again: a time-out leaves the answer on its way. */
export function isConnectionLost(error: unknown): boolean {
  const sqlstate = sqlstateOf(error);
  return sqlstate === undefined || LOST.test(sqlstate);
}
