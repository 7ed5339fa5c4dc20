import type { Resolution } from "../../domain/usage/resolution.ts";
import type { LatencyRow, UsageRow } from "../../domain/usage/roll-up.ts";
import type { Row } from "./sql.ts";

export function usageRowOf({ at, operation, ...row }: Row, who: string, resolution: Resolution): UsageRow {
  return {
    resolution,
    at: Number(at),
    who,
    operation: String(operation),
    counts: [row.succeeded, row.refused, row.limited, row.failed, row.bans].map(Number),
  };
}

export function latencyRowOf({ at, bucket, count }: Row, resolution: Resolution): LatencyRow {
  return { resolution, at: Number(at), bucket: Number(bucket), count: Number(count) };
}
