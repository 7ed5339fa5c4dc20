import type { Decision, Quotas, WindowQuota } from "./limiter.ts";
import { current, MINUTE, type Window } from "./window.ts";

/** Decides on a request at `now` (Unix ms) that counts in a single window. `limit`: requests per minute. */
export function takeFromWindow(
  before: Window | undefined,
  limit: number,
  now: number,
): { window: Window; decision: Decision } {
  const window = current(before, MINUTE, now);
  const isAllowed = window.count < limit;
  const after = isAllowed ? { ...window, count: window.count + 1 } : window;
  const outcome = isAllowed ? "allowed" : "rate_limit_exceeded";
  return { window: after, decision: { ...quotasOf(after, limit, now), outcome, beginsBan: false } };
}

/** Returns the quota of a single window at `now` (Unix ms). It does not count as a request. */
export function windowQuotas(before: Window | undefined, limit: number, now: number): Quotas {
  return quotasOf(current(before, MINUTE, now), limit, now);
}

function quotasOf({ count, resetAt }: Window, limit: number, now: number): Quotas {
  const quota: WindowQuota = { name: "minute", seconds: MINUTE, limit, remaining: limit - count, resetAt };
  return { now, shown: quota, windows: [quota] };
}
