import type { Awaitable } from "../awaitable.ts";
import type { Action, Entry, RecordedEntry } from "./entry.ts";

/**
 * Which entries of the log: all that match every given field. `operator` is an id, or the exact name of an author; `action`
 * lists the actions of which an entry has one; `from` (inclusive) and `to` (exclusive) are Unix milliseconds.
 */
export type AuditFilter = {
  operator?: string | undefined;
  action?: readonly Action[] | undefined;
  target?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
};

/** A page of the log, newest first: at most `limit` entries with ids below `before`. */
export type EntriesPage = AuditFilter & { limit: number; before?: number | undefined };

/** The most by which the clocks of two nodes may differ, in ms: filters by time find an entry if its `at` is that exact. */
export const MAX_CLOCK_DIFFERENCE = 3_600_000;

/**
 * The log of changes by operators. It is append-only. Stores add the entries of changes, each in the transaction of its change.
 * Every method throws service_unavailable when the log cannot be reached.
 */
export interface AuditLog {
  /** Adds an entry that belongs to no other change. It is durable when the promise resolves. */
  append(entry: Entry): Promise<void>;
  /** `before` and `after` of the entries are parsed JSON, with integers as bigints. */
  list(page: EntriesPage): Awaitable<RecordedEntry[]>;
}
