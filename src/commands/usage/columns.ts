import { timestampOf } from "../../domain/timestamp.ts";
import type { Point } from "../../domain/usage/point.ts";
import { lengthOf, type Resolution } from "../../domain/usage/resolution.ts";
import { statusClasses } from "../../domain/usage/tally.ts";
import { formatTime } from "../time.ts";

/** A range of consecutive minutes, hours or days (Unix ms). */
export type Selected = { resolution: Resolution; moments: readonly number[] };

/** The columns that every table of counts has. */
export const COLUMNS = ["requests", ...statusClasses, "bans"];

/** The same columns of a point, in this format. */
export function cellsOf({ requests, byClass, bans }: Point, format: (count: number) => string = String): string[] {
  return [requests, ...statusClasses.map((name) => byClass[name]), bans].map(format);
}

export const withSeparators = (count: number) => count.toLocaleString("en");

export function countsJson({ requests, byClass, bans }: Point) {
  return { requests, byClass, bans };
}

export function rangeJson(selected: Selected) {
  const [from, to] = endsOf(selected);
  return { resolution: selected.resolution, from: timestampOf(from), to: timestampOf(to) };
}

export function rangeText(selected: Selected): string {
  const [from, to] = endsOf(selected);
  return `from ${formatTime(from)} to ${formatTime(to)}`;
}

/** When the first point begins and the last one ends, in Unix ms. */
function endsOf({ resolution, moments }: Selected): [number, number] {
  return [moments[0] ?? 0, (moments.at(-1) ?? 0) + lengthOf[resolution]];
}
