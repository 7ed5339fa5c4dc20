import type { Usage } from "./api/responses.ts";
import { DAY, HOUR, MINUTE } from "./format.ts";

/** The time ranges of usage. "live" is the current minute and the one before it. */
export const timeRanges = [
  ["live", "Live"],
  ["hour", "Hour"],
  ["day", "24 hours"],
  ["week", "7 days"],
  ["month", "30 days"],
  ["quarter", "90 days"],
  ["custom", "Custom"],
] as const;
export type RangeName = (typeof timeRanges)[number][0];

/** A time range. A custom one has a start and an end (Unix ms). */
export type TimeRange = { name: Exclude<RangeName, "custom"> } | { name: "custom"; from: number; to: number };

/** What the API is asked for. Its end is now by the service's clock, except of a custom range. */
const queries = {
  live: { resolution: "minute", points: 2 },
  hour: { resolution: "minute", points: 60 },
  day: { resolution: "hour", points: 24 },
  week: { resolution: "hour", points: 168 },
  month: { resolution: "day", points: 30 },
  quarter: { resolution: "day", points: 90 },
} as const satisfies Record<Exclude<RangeName, "custom">, { resolution: Usage["resolution"]; points: number }>;

/** The parameters of the API for a range. `now` is Unix ms. */
export function queryOf(range: TimeRange, now: number): Record<string, string | number> {
  if (range.name !== "custom") return queries[range.name];
  const { from, to } = range;
  return {
    resolution: resolutionOf(from, to, now),
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
  };
}

/** The shortest points that are still stored (docs/administration.md) and do not become too narrow in a chart. */
export function resolutionOf(from: number, to: number, now: number): Usage["resolution"] {
  if (to - from <= 4 * HOUR && from > now - 30 * DAY) return "minute";
  return to - from <= 10 * DAY && from > now - 90 * DAY ? "hour" : "day";
}

/** The custom range that begins as the last 24 hours. */
export function newCustomRange(now: number): TimeRange {
  const to = now - (now % MINUTE);
  return { name: "custom", from: to - DAY, to };
}
