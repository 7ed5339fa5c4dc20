import type { Awaitable } from "../awaitable.ts";
import type { Resolution } from "./resolution.ts";
import type { LatencyRow, RollUp, UsageRow } from "./roll-up.ts";

/**
 * A write of one process, which numbers its writes upwards and repeats a failed one, unchanged, before the next. So each
 * is added once, even if only the response was lost. `at` is in Unix milliseconds.
 */
export type UsageWrite = RollUp & { writer: string; number: number; at: number };

/**
 * Stores usage: requests by key, operation and status, and their latency, in minutes, hours and days.
 * Every method throws service_unavailable when the store cannot be reached.
 */
export interface UsageStore {
  /** Adds all rows or none; none when it added this write before. They are durable when the promise resolves. */
  add(write: UsageWrite): Promise<void>;
  /** Returns the usage of a key, or TOTAL, in the minutes, hours or days that begin at these moments (Unix ms), unordered. */
  usageOf(who: string, resolution: Resolution, moments: readonly number[]): Awaitable<UsageRow[]>;
  /** Returns the latency of all clients in the minutes, hours or days that begin at these moments (Unix ms), unordered. */
  latency(resolution: Resolution, moments: readonly number[]): Awaitable<LatencyRow[]>;
  /** Deletes up to `limit` rows of each table that are older than `retention` at `now` (Unix ms). Returns their number. */
  prune(now: number, limit: number): Promise<number>;
}
