/**
 * A fixed window of requests: `count` so far, over at `resetAt` (Unix seconds).
 * `refusedAt` (Unix milliseconds) is when it first refused a request.
 */
export type Window = { count: number; resetAt: number; refusedAt?: number };

/** The lengths of the two windows, in seconds. */
export const MINUTE = 60;
export const DAY = 86_400;

/** A window that ends further away than this many seconds beyond its length stems from a clock since set back. */
const SLACK = 5;

/**
 * The window of `seconds` that covers `now` (Unix milliseconds): `window` itself, or a fresh one once it is over.
 * A fresh one ends on a whole second, so that the headers name the exact moment, and never later than `seconds` from
 * now, so that requests evenly spaced at the limit's rate are never refused.
 */
export function current(window: Window | undefined, seconds: number, now: number): Window {
  if (window !== undefined) {
    const left = window.resetAt * 1000 - now;
    if (left > 0 && left <= (seconds + SLACK) * 1000) return window;
  }
  return { count: 0, resetAt: Math.floor(now / 1000) + seconds };
}

/** The whole seconds from `now` (Unix milliseconds) to `resetAt` (Unix seconds), rounded up, at least 1. */
export function secondsUntil(resetAt: number, now: number): number {
  return Math.max(1, Math.ceil(resetAt - now / 1000));
}
