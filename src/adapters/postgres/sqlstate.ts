import { PetstoreError } from "../../domain/errors.ts";

/** serialization_failure and deadlock_detected: another attempt may succeed. */
const RETRYABLE = ["40001", "40P01"];
/** lock_not_available: the statement waited for a lock for too long. */
const LOCK_TIMEOUT = "55P03";
/**
 * After these a connection cannot be used: connection exceptions, server shutdown, a read-only server, and an idle
 * transaction timeout.
 */
const LOST = /^(08|57P|25006|25P03)/;

/** Returns the SQLSTATE (PostgreSQL, Appendix A), or undefined when the error is not the server's. */
function sqlstateOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

export function isRetryable(error: unknown): boolean {
  return RETRYABLE.includes(sqlstateOf(error) ?? "");
}

export function isLockTimeout(error: unknown): boolean {
  return sqlstateOf(error) === LOCK_TIMEOUT;
}

/**
 * Whether the connection must not be used again. After a timeout the response may still arrive on it. A PetstoreError is
 * the refusal of a transaction.
 */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof PetstoreError) return false;
  const sqlstate = sqlstateOf(error);
  return sqlstate === undefined || LOST.test(sqlstate);
}
