import { type Resolution, resolutions, startOf } from "./resolution.ts";
import { type ByOperation, type Counts, keysOf, type Tally, totalOf } from "./tally.ts";

/** Used instead of a key's id for the total over all keys and anonymous clients. */
export const TOTAL = "*";

/** The usage of one operation by a key or by all clients (`TOTAL`), in the minute, hour or day that begins at `at` (Unix ms). */
export type UsageRow = { resolution: Resolution; at: number; who: string; operation: string; counts: Counts };

/** The number of requests in a latency bucket, in the minute, hour or day that begins at `at` (Unix ms). */
export type LatencyRow = { resolution: Resolution; at: number; bucket: number; count: number };

/** The rows to add to the minute, hour and day of a tally: each row once, in the same order on all nodes. */
export type RollUp = { usage: UsageRow[]; latency: LatencyRow[] };

/** Adds to minutes, hours and days in one write, so that they always agree. */
export function rollUp(tally: Tally): RollUp {
  const { minute, latency } = tally;
  const all: [who: string, ByOperation][] = [[TOTAL, totalOf(tally)], ...keysOf(tally)];
  const buckets = [...latency.entries()].filter(([, count]) => count > 0);
  return {
    usage: resolutions.flatMap((resolution) => all.flatMap(([who, counts]) => rowsOf(resolution, minute, who, counts))),
    latency: resolutions.flatMap((resolution) =>
      buckets.map(([bucket, count]) => ({ resolution, at: startOf(resolution, minute), bucket, count })),
    ),
  };
}

/** The usage of a key, or of all clients, in the minute that begins at `minute` (Unix ms), as rows of one resolution. */
export function rowsOf(resolution: Resolution, minute: number, who: string, byOperation: ByOperation): UsageRow[] {
  const at = startOf(resolution, minute);
  const inOrder = [...byOperation].sort(([a], [b]) => (a < b ? -1 : 1));
  return inOrder.map(([operation, counts]) => ({ resolution, at, who, operation, counts: [...counts] }));
}
