import type { Awaitable } from "../awaitable.ts";
import type { Entry, RecordedEntry } from "./entry.ts";

/** A page of the log, newest first: at most `limit` entries, with ids below `before` and of this target, if given. */
export type EntriesPage = { limit: number; before?: number; target?: string };

/**
 * The changes that operators made. Entries are added and never changed nor removed; most are added by the stores, in the
 * transaction of the change. Every method raises service_unavailable when the log cannot be reached.
 */
export interface AuditLog {
  /** Adds an entry. Durable when the promise resolves. */
  append(entry: Entry): Promise<void>;
  /** `before` and `after` of an entry are parsed JSON, in which integers are bigints, exact to the digit. */
  list(page: EntriesPage): Awaitable<RecordedEntry[]>;
}
