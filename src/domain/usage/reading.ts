import type { Awaitable } from "../awaitable.ts";
import {
  type BucketCount,
  type CountedPlan,
  type Counts,
  countedPlans,
  type LatencyRow,
  lastOf,
  lengthOf,
  type Moments,
  OTHER,
  percentile,
  type Resolution,
  type RollUp,
  resolutions,
  retention,
  SIMULATED,
  type StatusClass,
  startOf,
  statusClasses,
  TOTAL,
  totalOf,
  type UsageRow,
} from "./counting.ts";

/** The minutes, hours and days that together are a range. Each is in none of the others. */
type Cover = Record<Resolution, number[]>;

/** Covers a range of consecutive minutes, hours or days with as few as possible: each has the sum of the shorter ones. */
export function coverOf(resolution: Resolution, moments: readonly number[]): Cover {
  const cover: Cover = { minute: [], hour: [], day: [] };
  const end = (moments.at(-1) ?? 0) + lengthOf[resolution];
  for (let at = moments[0] ?? end; at < end; ) {
    const longest = (["day", "hour"] as const).find((one) => at % lengthOf[one] === 0 && at + lengthOf[one] <= end);
    const part = longest ?? "minute";
    cover[part].push(at);
    at += lengthOf[part];
  }
  return cover;
}

/** The usage in the minute, hour or day that begins at `at` (Unix ms). */
export class Point {
  readonly at: number;
  requests = 0;
  /** Requests in the order of `statusClasses`. */
  readonly counts: number[] = statusClasses.map(() => 0);
  /** By operation; never zero. */
  readonly byOperation: Record<string, number> = {};
  bans = 0;
  /** Simulated requests. They are in no other count. */
  simulated = 0;

  constructor(at: number) {
    this.at = at;
  }

  /** Made on demand: runtimes store an object with the name 429 as an array of 430 items. */
  get byClass(): Record<StatusClass, number> {
    const [succeeded = 0, refused = 0, limited = 0, failed = 0] = this.counts;
    return { "2xx": succeeded, "4xx": refused, "429": limited, "5xx": failed };
  }
}

/** The last 24 hours, oldest first: `past` is the same array from call to call as long as it holds the same hours. */
export type LastDay = { past: readonly Point[]; recent: readonly Point[] };

/** Returns one point for each of these moments, in order: the sum of its rows, or zeros without any. */
export function pointsOf(moments: readonly number[], rows: readonly UsageRow[]): Point[] {
  const points = new Map(moments.map((at) => [at, new Point(at)]));
  for (const row of rows) {
    const point = points.get(row.at);
    if (point !== undefined) addRow(point, row);
  }
  return [...points.values()];
}

/** The point that begins at `at` (Unix ms) and has these counts, of any operations. */
function pointWith(at: number, counts: Counts): Point {
  const point = new Point(at);
  point.requests = addCounts(point, counts);
  point.bans = counts[statusClasses.length] ?? 0;
  return point;
}

/** The sum of the points, as one point that begins at `at` (Unix ms). */
export function sumOf(at: number, points: readonly Point[]): Point {
  const sum = new Point(at);
  for (const { requests, counts, byOperation, bans, simulated } of points) {
    addCounts(sum, counts);
    sum.requests += requests;
    sum.bans += bans;
    sum.simulated += simulated;
    for (const [name, count] of Object.entries(byOperation)) increase(sum, name, count);
  }
  return sum;
}

function addRow(point: Point, { operation, counts }: UsageRow): void {
  if (operation === SIMULATED) {
    point.simulated += counts.slice(0, statusClasses.length).reduce((sum, count) => sum + count, 0);
    return;
  }
  const requests = addCounts(point, counts);
  point.requests += requests;
  point.bans += counts[statusClasses.length] ?? 0;
  if (requests > 0) increase(point, operation, requests);
}

/** Adds counts in the order of `statusClasses`. Returns their sum. */
function addCounts(point: Point, counts: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < statusClasses.length; i++) {
    const count = counts[i] ?? 0;
    point.counts[i] = (point.counts[i] ?? 0) + count;
    sum += count;
  }
  return sum;
}

function increase({ byOperation }: Point, name: string, count: number): void {
  byOperation[name] = (byOperation[name] ?? 0) + count;
}

/** What keys are ranked by: all requests, or those that the limits refused (429). */
export const rankings = ["requests", "refusals"] as const;
export type Ranking = (typeof rankings)[number];

export type Ranked = { keyId: string; count: number };
export type KeySum = { keyId: string; counts: Counts };

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
   * up to `limit` such counts, at most `RANKED`, unordered. Simulated requests are in none.
   */
  busiest(ranking: Ranking, resolution: "hour" | "day", moments: readonly number[], limit: number): Promise<Ranked[]>;
  /** Returns sums of each of these keys over parts of these minutes, hours or days, without simulated requests, unordered. */
  sumsOf(keyIds: readonly string[], resolution: Resolution, moments: readonly number[]): Promise<KeySum[]>;
  /** Returns the latency of all clients in these minutes, hours and days, unordered. */
  latency(moments: Moments): Awaitable<LatencyRow[]>;
  /** Deletes up to `limit` rows of each table that are older than `retention` at `now` (Unix ms). Returns their number. */
  prune(now: number, limit: number): Promise<number>;
}

/** A key and its requests in a range, not by operation. */
type TopKey = { keyId: string; sum: Point };

/** The largest number of keys that can be asked for. */
export const MOST_KEYS = 100;
/** The length of the ranking of an hour or of a day. */
export const RANKED = 100;
/** How many keys are summed for each one asked for, and at least: more where the ranking is that of a longer time. */
const CANDIDATES = 2;
const LEAST_CANDIDATES = { hours: 25, minutes: 100 };

/**
 * Returns up to `limit` keys with the most requests, or refusals, in a range of consecutive minutes, hours or days, largest
 * first, with their exact counts. Candidates are the first hundred of each hour or day: a key that is never among them is not
 * found, so the time that this takes does not depend on the number of keys. @throws service_unavailable
 */
export async function topKeys(
  store: Pick<UsageStore, "busiest" | "sumsOf">,
  { resolution, moments }: { resolution: Resolution; moments: readonly number[] },
  ranking: Ranking,
  limit: number,
): Promise<TopKey[]> {
  const cover = coverOf(resolution, moments);
  // Minutes have no ranking: their keys are in that of their hour.
  const hours = [...new Set([...cover.hour, ...cover.minute.map((at) => startOf("hour", at))])];
  const ranked = [
    ...(await store.busiest(ranking, "hour", hours, RANKED)),
    ...(await store.busiest(ranking, "day", cover.day, RANKED)),
  ];
  const least = LEAST_CANDIDATES[cover.minute.length === 0 ? "hours" : "minutes"];
  const candidates = largestOf(ranked, Math.max(CANDIDATES * limit, least));
  const sums: KeySum[] = [];
  // One after the other: an engine in this process reads in turns, between which requests are answered.
  for (const part of resolutions) sums.push(...(await store.sumsOf(candidates, part, cover[part])));
  const countOf = ({ sum }: TopKey) => (ranking === "refusals" ? sum.byClass["429"] : sum.requests);
  return added(sums)
    .map(({ keyId, counts }) => ({ keyId, sum: pointWith(moments[0] ?? 0, counts) }))
    .filter((key) => countOf(key) > 0)
    .sort((a, b) => countOf(b) - countOf(a) || (a.keyId < b.keyId ? -1 : 1))
    .slice(0, limit);
}

/** The ids of the keys whose counts have the largest sums. */
function largestOf(ranked: readonly Ranked[], most: number): string[] {
  const sums = new Map<string, number>();
  for (const { keyId, count } of ranked) sums.set(keyId, (sums.get(keyId) ?? 0) + count);
  const sorted = [...sums].sort(([, a], [, b]) => b - a);
  return sorted.slice(0, most).map(([keyId]) => keyId);
}

function added(sums: readonly KeySum[]): KeySum[] {
  const byKey = Map.groupBy(sums, ({ keyId }) => keyId);
  return [...byKey].map(([keyId, parts]) => ({
    keyId,
    counts: parts.map(({ counts }) => counts).reduce((sum, counts) => sum.map((count, i) => count + (counts[i] ?? 0))),
  }));
}

/** Percentiles of the response time in ms; undefined without requests. */
export type Latency = { p50: number | undefined; p95: number | undefined; p99: number | undefined };

/** The usage of all clients in a range of time: by point, and in total. */
export type Summary = { points: Point[]; sum: Point; latency: Latency };

/** The usage of all clients until `now` (Unix ms). `ever` is the total over all days that are kept. */
type Overview = { now: number; live: Summary; hour: Summary; day: Summary; month: Summary; ever: Point };

/** The numbers of points in an overview. The last point is the current one. */
const counts = { live: 2, hour: 60, day: 24, month: 30 };
export const MOST_IN_SUMMARY = Math.max(...Object.values(counts));

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

function summaryOf({ points, latency }: Reading, count: number): Summary {
  const last = points.slice(-count);
  const start = last[0]?.at ?? 0;
  return { points: last, sum: sumOf(start, last), latency: latencyOf(latency.filter(({ at }) => at >= start)) };
}

function latencyOf(buckets: BucketCount[]): Latency {
  return { p50: percentile(buckets, 0.5), p95: percentile(buckets, 0.95), p99: percentile(buckets, 0.99) };
}

/** The largest number of points in a range: a day of minutes, two months of hours, or all stored days. */
export const MOST_POINTS = 1_500;
export const DEFAULT_POINTS: Record<Resolution, number> = { minute: 60, hour: 24, day: 30 };

/** A range of time (Unix ms). Without `from` it has this number of points, or the default one. */
type Range = { resolution: Resolution; from?: number | undefined; to: number; points?: number | undefined };

/** When the points of a range begin, from the one that covers `from` to the one that covers `to`; or what `from` must be. */
export function momentsOf({
  resolution,
  from,
  to,
  points = DEFAULT_POINTS[resolution],
}: Range): { moments: number[] } | { problem: string } {
  const length = lengthOf[resolution];
  const last = startOf(resolution, to);
  const first = from === undefined ? last - (points - 1) * length : startOf(resolution, from);
  const count = (last - first) / length + 1;
  if (count < 1) return { problem: "must not be later than to" };
  if (count > MOST_POINTS) return { problem: `must be so late that there are at most ${MOST_POINTS} points` };
  return { moments: Array.from({ length: count }, (_, i) => first + i * length) };
}

/** The requests that were on a plan when they were answered, by point and in total, but not by operation. */
type PlanUsage = { plan: CountedPlan; points: Point[]; sum: Point };

/** The usage of each plan in a range of consecutive minutes, hours or days (Unix ms). @throws service_unavailable */
export async function usageByPlan(
  store: Pick<UsageStore, "usageOfPlans">,
  resolution: Resolution,
  moments: readonly number[],
): Promise<PlanUsage[]> {
  const rows = await store.usageOfPlans(resolution, moments);
  return countedPlans.map((plan) => {
    const ofPlan = rows.filter(({ who }) => who === totalOf(plan));
    const points = pointsOf(moments, ofPlan);
    return { plan, points, sum: sumOf(moments[0] ?? 0, points) };
  });
}

/**
 * Returns the function that returns the counts of these operations, in this order. It adds counts under unknown names, from
 * another version, to `other`.
 */
export function countsOf(names: readonly string[]) {
  const none = Object.fromEntries(names.map((name): [string, number] => [name, 0]));
  return (byOperation: Record<string, number>): Record<string, number> => {
    // A copy takes a tenth of the time of a new object from names.
    const counts = { ...none };
    for (const [name, count] of Object.entries(byOperation)) {
      const known = Object.hasOwn(counts, name) ? name : OTHER;
      counts[known] = (counts[known] ?? 0) + count;
    }
    return counts;
  };
}
