import type { Counts } from "../../domain/usage/count-table.ts";
import type { Resolution } from "../../domain/usage/resolution.ts";
import type { LatencyRow, UsageRow } from "../../domain/usage/roll-up.ts";
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

export function countsOf({ succeeded, refused, limited, failed, bans }: Row): Counts {
  return [Number(succeeded), Number(refused), Number(limited), Number(failed), Number(bans)];
}

export function latencyRowOf({ at, bucket, count }: Row, resolution: Resolution): LatencyRow {
  return { resolution, at: Number(at), bucket: Number(bucket), count: Number(count) };
}
