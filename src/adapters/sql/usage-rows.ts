import type { Resolution } from "../../domain/usage/resolution.ts";
import type { LatencyRow, UsageRow } from "../../domain/usage/roll-up.ts";
import type { Row } from "./sql.ts";

export function usageRowOf(row: Row, who: string, resolution: Resolution): UsageRow {
  return {
    resolution,
    at: Number(row.at),
    who,
    operation: String(row.operation),
    counts: [Number(row.succeeded), Number(row.refused), Number(row.limited), Number(row.failed), Number(row.bans)],
  };
}

export function latencyRowOf({ at, bucket, count }: Row, resolution: Resolution): LatencyRow {
  return { resolution, at: Number(at), bucket: Number(bucket), count: Number(count) };
}
