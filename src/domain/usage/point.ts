import type { Counts } from "./count-table.ts";
import { SIMULATED } from "./recorder.ts";
import type { UsageRow } from "./roll-up.ts";
import { type StatusClass, statusClasses } from "./tally.ts";

/** The usage in the minute, hour or day that begins at `at` (Unix ms). */
export class Point {
  readonly at: number;
  requests = 0;
  /** Requests in the order of `statusClasses`. */
  readonly counts: number[] = statusClasses.map(() => 0);
  /** By operation; never zero. */
  readonly byOperation: Record<string, number> = {};
  /** Bans that began. */
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
export function pointWith(at: number, counts: Counts): Point {
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
