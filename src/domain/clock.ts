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
