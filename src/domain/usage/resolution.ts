const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The resolutions of usage: minutes, hours or days, in UTC. */
export const resolutions = ["minute", "hour", "day"] as const;
export type Resolution = (typeof resolutions)[number];

/** The length of each, in ms: also its name in the store. */
export const lengthOf = { minute: MINUTE, hour: HOUR, day: DAY } as const satisfies Record<Resolution, number>;

/** How long each is kept, in ms. */
export const keptFor = { minute: 30 * DAY, hour: 90 * DAY, day: 400 * DAY } as const satisfies Record<
  Resolution,
  number
>;

/** The beginning of the minute, hour or day that `at` is in (both Unix milliseconds). */
export function startOf(resolution: Resolution, at: number): number {
  return at - (at % lengthOf[resolution]);
}

/** The beginnings of the last `count` minutes, hours or days, oldest first; the last of them is the one that `now` is in. */
export function lastOf(resolution: Resolution, count: number, now: number): number[] {
  const last = startOf(resolution, now);
  return Array.from({ length: count }, (_, i) => last - (count - 1 - i) * lengthOf[resolution]);
}
