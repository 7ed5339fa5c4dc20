import { coverOf } from "./cover.ts";
import { type BucketCount, percentile } from "./latency.ts";
import { type Point, pointsOf, sumOf } from "./point.ts";
import { lastOf, lengthOf, type Resolution, resolutions, retention } from "./resolution.ts";
import { TOTAL } from "./roll-up.ts";
import type { UsageStore } from "./store.ts";

/** Percentiles of the response time in ms; undefined without requests. */
export type Latency = { p50: number | undefined; p95: number | undefined; p99: number | undefined };

/** The usage of all clients in a range of time: by point, and in total. */
export type Summary = { points: Point[]; sum: Point; latency: Latency };

/** The usage of all clients until `now` (Unix ms). `ever` is the total over all days that are kept. */
export type Overview = { now: number; live: Summary; hour: Summary; day: Summary; month: Summary; ever: Point };

/** The ranges of an overview: the resolution and the number of points. The last point is the current one. */
const ranges = {
  live: ["minute", 2],
  hour: ["minute", 60],
  day: ["hour", 24],
  month: ["day", 30],
} as const satisfies Record<string, [Resolution, number]>;

/** Reads a few hundred rows, however many keys exist. Usage of the last seconds may be missing. @throws service_unavailable */
export async function overview(store: UsageStore, now: number): Promise<Overview> {
  const summary = ([resolution, count]: readonly [Resolution, number]) =>
    summaryOf(store, resolution, lastOf(resolution, count, now));
  const days = lastOf("day", retention.day / lengthOf.day, now);
  const [live, hour, day, month, daily] = await Promise.all([
    summary(ranges.live),
    summary(ranges.hour),
    summary(ranges.day),
    summary(ranges.month),
    store.usageOf(TOTAL, "day", days),
  ]);
  return { now, live, hour, day, month, ever: sumOf(days[0] ?? now, pointsOf(days, daily)) };
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

async function summaryOf(store: UsageStore, resolution: Resolution, moments: number[]): Promise<Summary> {
  const [rows, latency] = await Promise.all([
    store.usageOf(TOTAL, resolution, moments),
    store.latency(resolution, moments),
  ]);
  const points = pointsOf(moments, rows);
  return { points, sum: sumOf(moments[0] ?? 0, points), latency: latencyOf(latency) };
}

function latencyOf(buckets: BucketCount[]): Latency {
  return { p50: percentile(buckets, 0.5), p95: percentile(buckets, 0.95), p99: percentile(buckets, 0.99) };
}
