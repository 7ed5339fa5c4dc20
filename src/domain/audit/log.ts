import type { Awaitable } from "../awaitable.ts";
import type { Entry, RecordedEntry } from "./entry.ts";

/** A page of the log, newest first: at most `limit` entries with ids below `before`, and only of `target` if it is given. */
export type EntriesPage = { limit: number; before?: number; target?: string };

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
