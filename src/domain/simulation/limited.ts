import { firstBan } from "../limits/ban.ts";
import { decisionOf } from "../limits/limit-state.ts";
import type { Decision, Quotas, WindowQuota } from "../limits/limiter.ts";
import type { Limits } from "../limits/plans.ts";
import { current, DAY, MINUTE, type Window } from "../limits/window.ts";

type Refusal = "rate_limit_exceeded" | "quota_exceeded" | "key_banned";

/**
 * Returns the decision that refuses a request which found these quotas: with the minute or the day used up, or as the first
 * ban of the key.
 */
export function limitedAs(outcome: Refusal, { now, windows }: Quotas, limits: Limits): Decision {
  const [byMinute, byDay] = ["minute", "day"].map((name) => windows.find((window) => window.name === name));
  const minute = windowOf(byMinute, MINUTE, now);
  const day = windowOf(byDay, DAY, now);
  if (outcome === "rate_limit_exceeded") minute.count = limits.perMinute;
  if (outcome === "quota_exceeded") day.count = limits.perDay;
  const ban = outcome === "key_banned" ? { until: firstBan(now).until, begins: false } : undefined;
  return decisionOf(outcome, { minute, day }, limits, now, ban);
}

/** Returns the window that a quota shows. */
function windowOf(quota: WindowQuota | undefined, seconds: number, now: number): Window {
  if (quota === undefined) return current(undefined, seconds, now);
  return { count: quota.limit - quota.remaining, resetAt: quota.resetAt };
}
