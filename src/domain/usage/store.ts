import type { Awaitable } from "../awaitable.ts";
import type { KeySum, Ranked, Ranking } from "./ranking.ts";
import type { Moments, Resolution } from "./resolution.ts";
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
  /**
   * Adds all rows or none; none when it added this write before. They are durable when the promise resolves. A store from
   * which reads return at once calls `onVisible` as soon as they find the rows, which may be earlier.
   */
  add(write: UsageWrite, onVisible?: () => void): Promise<void>;
  /** Returns the usage of a key, or TOTAL, in these minutes, hours and days, unordered. */
  usageOf(who: string, moments: Moments): Awaitable<UsageRow[]>;
  /** Returns the usage of each plan in the minutes, hours or days that begin at these moments (Unix ms), unordered. */
  usageOfPlans(resolution: Resolution, moments: readonly number[]): Promise<UsageRow[]>;
  /**
   * Returns, for each hour or day that begins at these moments (Unix ms), the keys with the largest counts of an operation:
   * up to `limit` such counts, unordered. Simulated requests are in none.
   */
  busiest(ranking: Ranking, resolution: "hour" | "day", moments: readonly number[], limit: number): Promise<Ranked[]>;
  /** Returns sums of each of these keys over parts of these minutes, hours or days, without simulated requests, unordered. */
  sumsOf(keyIds: readonly string[], resolution: Resolution, moments: readonly number[]): Promise<KeySum[]>;
  /** Returns the latency of all clients in these minutes, hours and days, unordered. */
  latency(moments: Moments): Awaitable<LatencyRow[]>;
  /** Deletes up to `limit` rows of each table that are older than `retention` at `now` (Unix ms). Returns their number. */
  prune(now: number, limit: number): Promise<number>;
}
