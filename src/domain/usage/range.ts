import { lengthOf, type Resolution, startOf } from "./resolution.ts";

/** The largest number of points in a range: a day of minutes, two months of hours, or all stored days. */
export const MOST_POINTS = 1_500;
/** The number of points in a range without a start. */
export const DEFAULT_POINTS: Record<Resolution, number> = { minute: 60, hour: 24, day: 30 };

/** A range of time (Unix ms). Without `from` it has this number of points, or the default one. */
export type Range = { resolution: Resolution; from?: number | undefined; to: number; points?: number | undefined };

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
