import type { UsageRow } from "./roll-up.ts";
import { type StatusClass, statusClasses } from "./tally.ts";

/** The usage in the minute, hour or day that begins at `at` (Unix ms). */
export type Point = {
  at: number;
  requests: number;
  byClass: Record<StatusClass, number>;
  /** By operation; never zero. */
  byOperation: Record<string, number>;
  /** Bans that began. */
  bans: number;
};

/** Returns one point for each of these moments, in order: the sum of its rows, or zeros without any. */
export function pointsOf(moments: readonly number[], rows: readonly UsageRow[]): Point[] {
  const points = new Map(moments.map((at) => [at, emptyPoint(at)]));
  for (const row of rows) {
    const point = points.get(row.at);
    if (point !== undefined) addRow(point, row);
  }
  return [...points.values()];
}

/** The sum of the points, as one point that begins at `at` (Unix ms). */
export function sumOf(at: number, points: readonly Point[]): Point {
  const sum = emptyPoint(at);
  for (const { requests, byClass, byOperation, bans } of points) {
    sum.requests += requests;
    sum.bans += bans;
    for (const name of statusClasses) sum.byClass[name] += byClass[name];
    for (const [name, count] of Object.entries(byOperation)) increase(sum, name, count);
  }
  return sum;
}

function emptyPoint(at: number): Point {
  return {
    at,
    requests: 0,
    byClass: { "2xx": 0, "4xx": 0, "429": 0, "5xx": 0 },
    byOperation: {},
    bans: 0,
  };
}

function addRow(point: Point, { operation, counts }: UsageRow): void {
  for (const [i, name] of statusClasses.entries()) {
    const count = counts[i] ?? 0;
    point.requests += count;
    point.byClass[name] += count;
    if (count > 0) increase(point, operation, count);
  }
  point.bans += counts[statusClasses.length] ?? 0;
}

function increase({ byOperation }: Point, name: string, count: number): void {
  byOperation[name] = (byOperation[name] ?? 0) + count;
}
