/** Returns the current time in Unix milliseconds. Rules take it as an argument, so that tests can set it. */
export type Clock = () => number;

/**
 * How far a clock is ahead of another one, in ms; negative if it is behind. The other one showed `reading` when this one was
 * between `before` and `after`: 0 if both may have shown the same.
 */
export function differenceOf(reading: number, before: number, after: number): number {
  if (reading < before) return before - reading;
  return reading > after ? after - reading : 0;
}

let last = { time: Number.NaN, text: "" };

/** A time (Unix milliseconds) for JSON: RFC 3339 in UTC with milliseconds; null for undefined. */
export function timestampOf(time: number): string;
export function timestampOf(time: number | undefined): string | null;
export function timestampOf(time: number | undefined): string | null {
  if (time === undefined) return null;
  // Many changes are made at the same time.
  if (time !== last.time) last = { time, text: new Date(time).toISOString() };
  return last.text;
}

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(\d{1,6})([smhd])$/;

/** The milliseconds of a duration such as 30s, 15m, 24h or 90d; undefined for other text. */
export function millisecondsOf(text: string): number | undefined {
  const [, count, unit = ""] = DURATION.exec(text) ?? [];
  const milliseconds = UNITS[unit];
  return count === undefined || milliseconds === undefined ? undefined : Number(count) * milliseconds;
}
