import type { Decision, WindowQuota } from "./limiter.ts";
import { current, MINUTE, type Window } from "./window.ts";

/** Decides on a request without a valid key at `now` (Unix ms). `limit`: requests per minute of an address. */
export function takeFromAddress(
  before: Window | undefined,
  limit: number,
  now: number,
): { window: Window; decision: Decision } {
  const window = current(before, MINUTE, now);
  const isAllowed = window.count < limit;
  const after = isAllowed ? { ...window, count: window.count + 1 } : window;
  const remaining = limit - after.count;
  const quota: WindowQuota = { name: "minute", seconds: MINUTE, limit, remaining, resetAt: after.resetAt };
  const outcome = isAllowed ? "allowed" : "rate_limit_exceeded";
  return { window: after, decision: { outcome, now, shown: quota, windows: [quota], beginsBan: false } };
}
