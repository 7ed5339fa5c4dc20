import { banAt, strikesAt } from "./ban.ts";
import { decisionOf, forgiven, type LimitState } from "./limit-state.ts";
import type { LimitStatus, Subject, WindowUsage } from "./limiter.ts";
import { current, DAY, MINUTE, type Window } from "./window.ts";

/** Where a key stands at `now` (Unix milliseconds), of which this is known. */
export function limitStatusOf(
  usage: LimitState | undefined,
  { limits, pardonedAt }: Subject,
  now: number,
): LimitStatus {
  const minute = current(usage?.minute, MINUTE, now);
  const day = current(usage?.day, DAY, now);
  const banState = forgiven(usage?.banState, pardonedAt);
  const ban = banAt(banState, now);
  const told = ban && { until: ban.until, begins: false };
  const { shown, windows } = decisionOf("allowed", { minute, day }, limits, now, told);
  return {
    now,
    minute: useOf(minute, usage?.minute, limits.perMinute),
    day: useOf(day, usage?.day, limits.perDay),
    strikes: strikesAt(banState, now),
    ban,
    shown,
    windows,
  };
}

function useOf(open: Window, known: Window | undefined, limit: number): WindowUsage {
  const remaining = Math.max(0, limit - open.count);
  return { used: open.count, limit, remaining, resetAt: open === known ? open.resetAt : undefined };
}
