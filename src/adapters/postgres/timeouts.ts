/** How long a statement may wait for a lock, and run, until the server cancels it, in ms; 0 for no time-out. */
export type Timeouts = { lock: number; statement: number };

/**
 * The same for a pool, and how long the service waits for a connection and for a result. The server gives up first: what it
 * has cancelled has changed nothing, and its connection can be used again.
 */
export type PoolTimeouts = Timeouts & { connection: number; result: number };

/** Requests of clients. */
export const REQUEST: PoolTimeouts = { connection: 1_000, lock: 800, statement: 1_000, result: 1_200 };
/** Requests of operators, who search and count all keys, and have few connections. */
export const OPERATOR: PoolTimeouts = { connection: 4_000, lock: 800, statement: 10_000, result: 10_200 };
/** One page of an export, and one statement of a migration, which may rewrite a table. */
export const EXPORT: Timeouts = { lock: 5_000, statement: 60_000 };
export const MIGRATION: Timeouts = { lock: 3_000, statement: 0 };
/** Waits for as long as another node holds the lock. */
export const LOCK: Timeouts = { lock: 0, statement: 0 };

/** A stalled node must not hold its row locks for longer than this, in ms. */
const MAX_IDLE = 2_000;

/** Begins a transaction with these time-outs. They end with it, so that a pooler may give its connection to anyone. */
export function begin({ lock, statement }: Timeouts, maxIdle = MAX_IDLE): string {
  return `BEGIN; SET LOCAL lock_timeout = ${lock}; SET LOCAL statement_timeout = ${statement};
    SET LOCAL idle_in_transaction_session_timeout = ${maxIdle}`;
}
