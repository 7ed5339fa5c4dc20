import type { Counts } from "./count-table.ts";
import { type CountedPlan, countedPlans, type PlanCounts } from "./plan-counts.ts";
import { type Resolution, resolutions, startOf } from "./resolution.ts";
import { ANONYMOUS, type Counted, type TallyPart } from "./tally.ts";

/** Used instead of a key's id for the total over all keys and anonymous clients. */
export const TOTAL = "*";
/** The operation in rows of a plan, which are not by operation. */
const ALL_OPERATIONS = "*";

/** Used instead of a key's id for the total over the requests that were on a plan when they were answered. */
export const totalOf = (plan: CountedPlan): string => `${TOTAL}${plan}`;

/** The plan whose total has this name. */
export const planOf = (who: string): CountedPlan | undefined => countedPlans.find((plan) => who === totalOf(plan));

/** The usage of one operation by a key or by all clients (`TOTAL`), or of a plan, in the minute, hour or day that begins at `at` (Unix ms). */
export type UsageRow = { resolution: Resolution; at: number; who: string; operation: string; counts: Counts };

/** The number of requests in a latency bucket, in the minute, hour or day that begins at `at` (Unix ms). */
export type LatencyRow = { resolution: Resolution; at: number; bucket: number; count: number };

/** The rows to add to the minute, hour and day of a tally: each row once, in the same order on all nodes. */
export type RollUp = { usage: UsageRow[]; latency: LatencyRow[] };

/** Adds to minutes, hours and days in one write, so that they always agree. */
export function rollUp({ minute, counted, byPlan, latency }: TallyPart): RollUp {
  const rows = [...countsOfPlans(byPlan), ...counted.flatMap(countsIn)];
  const buckets = [...latency.entries()].filter(([, count]) => count > 0);
  return {
    usage: resolutions.flatMap((resolution) => {
      const at = startOf(resolution, minute);
      return rows.map(({ who, operation, counts }) => ({ resolution, at, who, operation, counts }));
    }),
    latency: resolutions.flatMap((resolution) =>
      buckets.map(([bucket, count]) => ({ resolution, at: startOf(resolution, minute), bucket, count })),
    ),
  };
}

/** The total of an operation, which includes anonymous clients, then the counts of its keys. */
function countsIn({ operation, keyIds, table }: Counted): Pick<UsageRow, "who" | "operation" | "counts">[] {
  const named = keyIds.filter((keyId) => keyId !== ANONYMOUS);
  return [
    { who: TOTAL, operation, counts: table.sumOf(keyIds) },
    ...named.map((who) => ({ who, operation, counts: table.get(who) ?? [] })),
  ];
}

/** The counts of the plans with requests. */
function countsOfPlans(byPlan: PlanCounts): Pick<UsageRow, "who" | "operation" | "counts">[] {
  return countedPlans
    .map((plan) => ({ who: totalOf(plan), operation: ALL_OPERATIONS, counts: byPlan.get(plan) }))
    .filter(({ counts }) => counts.some((count) => count > 0));
}
