import type { Counts, LatencyRow, Resolution, UsageRow } from "../../domain/usage/counting.ts";
import type { KeySum, Ranked, Ranking } from "../../domain/usage/reading.ts";
import type { Row } from "./sql.ts";

export function usageRowOf(row: Row, who: string, resolution: Resolution): UsageRow {
  return {
    resolution,
    at: Number(row.at),
    who,
    operation: String(row.operation),
    counts: countsOf(row),
  };
}

function countsOf({ succeeded, refused, limited, failed, bans }: Row): Counts {
  return [Number(succeeded), Number(refused), Number(limited), Number(failed), Number(bans)];
}

export function latencyRowOf({ at, bucket, count }: Row, resolution: Resolution): LatencyRow {
  return { resolution, at: Number(at), bucket: Number(bucket), count: Number(count) };
}

/** What an index of rankings has; a query must say the same. */
const IN_INDEX = "resolution > 60000 AND operation <> 'simulated' AND substr(who, 1, 1) <> '*'";

/** The count that each ranking compares, and the condition of its index. */
export const ranked = {
  requests: { count: "succeeded + refused + limited + failed", condition: IN_INDEX },
  refusals: { count: "limited", condition: `limited > 0 AND ${IN_INDEX}` },
} as const satisfies Record<Ranking, object>;

/** The sums over operations and time, in the order of `Counts`. */
export const SUMS =
  "sum(succeeded) AS succeeded, sum(refused) AS refused, sum(limited) AS limited, sum(failed) AS failed, sum(bans) AS bans";

export function rankedOf({ who, count }: Row): Ranked {
  return { keyId: String(who), count: Number(count) };
}

export function keySumOf(row: Row): KeySum {
  return { keyId: String(row.who), counts: countsOf(row) };
}
