import { banAt, strikesAt } from "./ban.ts";
import { decisionOf, type LimitState, withPardon } from "./limit-state.ts";
import type { LimitStatus, Subject, WindowUsage } from "./limiter.ts";
import { current, DAY, MINUTE, type Window } from "./window.ts";

/** The status of a key with this limit state at `now` (Unix milliseconds). */
export function limitStatusOf(
  state: LimitState | undefined,
  { limits, pardonedAt }: Subject,
  now: number,
): LimitStatus {
  const minute = current(state?.minute, MINUTE, now);
  const day = current(state?.day, DAY, now);
  const banState = withPardon(state?.banState, pardonedAt);
  const ban = banAt(banState, now);
  const active = ban && { until: ban.until, begins: false };
  const { shown, windows } = decisionOf("allowed", { minute, day }, limits, now, active);
  return {
    now,
    minute: usageOf(minute, state?.minute, limits.perMinute),
    day: usageOf(day, state?.day, limits.perDay),
    strikes: strikesAt(banState, now),
    ban,
    shown,
    windows,
  };
}

function usageOf(open: Window, known: Window | undefined, limit: number): WindowUsage {
  const remaining = Math.max(0, limit - open.count);
  return { used: open.count, limit, remaining, resetAt: open === known ? open.resetAt : undefined };
}
