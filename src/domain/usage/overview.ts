import { coverOf } from "./cover.ts";
import { type BucketCount, percentile } from "./latency.ts";
import { type Point, pointsOf, sumOf } from "./point.ts";
import { lastOf, lengthOf, type Resolution, retention } from "./resolution.ts";
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

/** Reads a few hundred rows, however many keys exist. Usage of the last seconds may be missing. @throws service_unavailable */
export async function overview(store: UsageStore, now: number): Promise<Overview> {
  const minute = lastOf("minute", counts.hour, now);
  const hour = lastOf("hour", counts.day, now);
  const day = lastOf("day", retention.day / lengthOf.day, now);
  const [usage, latency] = await Promise.all([
    store.usageOf(TOTAL, { minute, hour, day }),
    store.latency({ minute, hour, day: day.slice(-counts.month) }),
  ]);
  const read = (resolution: Resolution, moments: readonly number[]): Reading => ({
    points: pointsOf(moments, usage.filter(isOf(resolution))),
    latency: latency.filter(isOf(resolution)),
  });
  const [minutes, hours, days] = [read("minute", minute), read("hour", hour), read("day", day)];
  return {
    now,
    live: summaryOf(minutes, counts.live),
    hour: summaryOf(minutes, counts.hour),
    day: summaryOf(hours, counts.day),
    month: summaryOf(days, counts.month),
    ever: sumOf(days.points[0]?.at ?? now, days.points),
  };
}

/** Points, oldest first, and their latency. */
type Reading = { points: Point[]; latency: LatencyRow[] };

function isOf(resolution: Resolution): (row: { resolution: Resolution }) => boolean {
  return (row) => row.resolution === resolution;
}

/** Returns the latency of all clients in a range of consecutive minutes, hours or days (Unix ms). @throws service_unavailable */
export async function latencyIn(
  store: Pick<UsageStore, "latency">,
  resolution: Resolution,
  moments: readonly number[],
): Promise<Latency> {
  return latencyOf(await store.latency(coverOf(resolution, moments)));
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
