import type { Awaitable } from "../awaitable.ts";
import type { Resolution } from "./resolution.ts";
import type { LatencyRow, RollUp, UsageRow } from "./roll-up.ts";

/**
 * What one process has to add. Its writes are numbered upwards, and one that failed is tried again as it was before
 * the next: so it is added once, also when only the answer to it was lost. `at`: Unix milliseconds.
 */
export type UsageWrite = RollUp & { writer: string; number: number; at: number };

/**
 * Stores usage: requests by key, operation and status, in minutes, hours and days, and how long answers took.
 * Every method raises service_unavailable when the store cannot be reached.
 */
export interface UsageStore {
  /** Adds to what is kept, all of it or nothing; a write that was added before changes nothing. Durable when the promise resolves. */
  add(write: UsageWrite): Promise<void>;
  /** What a key, or TOTAL, did in the minutes, hours or days that begin at these moments (Unix ms), in no order. */
  usageOf(who: string, resolution: Resolution, moments: readonly number[]): Awaitable<UsageRow[]>;
  /** How long responses to all clients took in the minutes, hours or days that begin at these moments (Unix ms), in no order. */
  latency(resolution: Resolution, moments: readonly number[]): Awaitable<LatencyRow[]>;
  /** Drops up to `most` rows of each kind that are older at `now` (Unix ms) than is kept (`keptFor`). Gives how many. */
  prune(now: number, most: number): Promise<number>;
}
