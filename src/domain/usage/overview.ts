import { coverOf } from "./cover.ts";
import { type BucketCount, percentile } from "./latency.ts";
import { type Point, pointsOf, sumOf } from "./point.ts";
import { lastOf, lengthOf, type Resolution, resolutions, retention } from "./resolution.ts";
import { type LatencyRow, TOTAL } from "./roll-up.ts";
import type { UsageStore } from "./store.ts";

/** Percentiles of the response time in ms; undefined without requests. */
export type Latency = { p50: number | undefined; p95: number | undefined; p99: number | undefined };

/** The usage of all clients in a range of time: by point, and in total. */
export type Summary = { points: Point[]; sum: Point; latency: Latency };

/** The usage of all clients until `now` (Unix ms). `ever` is the total over all days that are kept. */
export type Overview = { now: number; live: Summary; hour: Summary; day: Summary; month: Summary; ever: Point };

/** The numbers of points in an overview. The last point is the current one. */
const counts = { live: 2, hour: 60, day: 24, month: 30 };

/** Points, oldest first, and the latency in those that a summary covers. */
type Reading = { points: Point[]; latency: LatencyRow[] };

/** Reads a few hundred rows, however many keys exist. Usage of the last seconds may be missing. @throws service_unavailable */
export async function overview(store: UsageStore, now: number): Promise<Overview> {
  const read = async (resolution: Resolution, count: number, summarized = count): Promise<Reading> => {
    const moments = lastOf(resolution, count, now);
    const [rows, latency] = await Promise.all([
      store.usageOf(TOTAL, resolution, moments),
      store.latency(resolution, moments.slice(-summarized)),
    ]);
    return { points: pointsOf(moments, rows), latency };
  };
  const [minutes, hours, days] = await Promise.all([
    read("minute", counts.hour),
    read("hour", counts.day),
    read("day", retention.day / lengthOf.day, counts.month),
  ]);
  return {
    now,
    live: summaryOf(minutes, counts.live),
    hour: summaryOf(minutes, counts.hour),
    day: summaryOf(hours, counts.day),
    month: summaryOf(days, counts.month),
    ever: sumOf(days.points[0]?.at ?? now, days.points),
  };
}

/** Returns the latency of all clients in a range of consecutive minutes, hours or days (Unix ms). @throws service_unavailable */
export async function latencyIn(
  store: Pick<UsageStore, "latency">,
  resolution: Resolution,
  moments: readonly number[],
): Promise<Latency> {
  const cover = coverOf(resolution, moments);
  const buckets = await Promise.all(resolutions.map((part) => store.latency(part, cover[part])));
  return latencyOf(buckets.flat());
}

/** Sums up the last points. */
function summaryOf({ points, latency }: Reading, count: number): Summary {
  const last = points.slice(-count);
  const start = last[0]?.at ?? 0;
  return { points: last, sum: sumOf(start, last), latency: latencyOf(latency.filter(({ at }) => at >= start)) };
}

function latencyOf(buckets: BucketCount[]): Latency {
  return { p50: percentile(buckets, 0.5), p95: percentile(buckets, 0.95), p99: percentile(buckets, 0.99) };
}
