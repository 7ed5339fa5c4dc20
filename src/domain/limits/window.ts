/**
 * A fixed window: `count` requests so far; it ends at `resetAt` (Unix seconds).
 * `refusedAt` (Unix milliseconds) is the time of its first refusal.
 */
export type Window = { count: number; resetAt: number; refusedAt?: number };

/** The lengths of the two windows, in seconds. */
export const MINUTE = 60;
export const DAY = 86_400;

/** A window that ends more than its length and this many seconds from now was opened before the clock was set back. */
const SLACK = 5;

/**
 * Returns the window of `seconds` that covers `now` (Unix milliseconds): `window`, or a new one after its end.
 * A new one ends on a whole second, so that the headers state its end exactly, and at most `seconds` from now, so that
 * requests evenly spaced at the limit's rate are never refused.
 */
export function current(window: Window | undefined, seconds: number, now: number): Window {
  if (window !== undefined && isCurrent(window, seconds, now)) return window;
  return { count: 0, resetAt: Math.floor(now / 1000) + seconds };
}

/** Whether a window of `seconds` covers `now` (Unix milliseconds). */
export function isCurrent({ resetAt }: Window, seconds: number, now: number): boolean {
  const left = resetAt * 1000 - now;
  return left > 0 && left <= (seconds + SLACK) * 1000;
}

/** The seconds from `now` (Unix milliseconds) to `resetAt` (Unix seconds), rounded up, at least 1. */
export function secondsUntil(resetAt: number, now: number): number {
  return Math.max(1, Math.ceil(resetAt - now / 1000));
}
