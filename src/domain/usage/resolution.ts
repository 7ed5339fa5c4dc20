const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The resolutions of usage, in UTC. */
export const resolutions = ["minute", "hour", "day"] as const;
export type Resolution = (typeof resolutions)[number];

/** Minutes, hours and days, by their starts (Unix ms). */
export type Moments = Partial<Record<Resolution, readonly number[]>>;

/** The length of each resolution in ms, which also identifies it in the store. */
export const lengthOf = { minute: MINUTE, hour: HOUR, day: DAY } as const satisfies Record<Resolution, number>;

/** How long usage is kept, in ms. */
export const retention = { minute: 30 * DAY, hour: 90 * DAY, day: 400 * DAY } as const satisfies Record<
  Resolution,
  number
>;

/** The start of the minute, hour or day that contains `at` (both Unix milliseconds). */
export function startOf(resolution: Resolution, at: number): number {
  return at - (at % lengthOf[resolution]);
}

/** The starts of the last `count` minutes, hours or days, oldest first, up to the one that contains `now`. */
export function lastOf(resolution: Resolution, count: number, now: number): number[] {
  const last = startOf(resolution, now);
  return Array.from({ length: count }, (_, i) => last - (count - 1 - i) * lengthOf[resolution]);
}
