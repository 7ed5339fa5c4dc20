import type { Awaitable } from "../awaitable.ts";
import type { Entry, RecordedEntry } from "./entry.ts";

/** A part of the log, newest first: at most `limit` entries, with ids below `before` and of this target where those are given. */
export type EntriesPage = { limit: number; before?: number; target?: string };

/**
 * What operators changed. Entries are added and never changed nor removed; most are added by the stores, together with
 * the change that they tell of. Every method raises service_unavailable when the log cannot be reached.
 */
export interface AuditLog {
  /** Adds an entry. Durable when the promise resolves. */
  append(entry: Entry): Promise<void>;
  /** What was and what is comes back as JSON has it; integers are bigints, exact to the digit. */
  list(page: EntriesPage): Awaitable<RecordedEntry[]>;
}
