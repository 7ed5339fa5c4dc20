import { banAt, strikesAt } from "./ban.ts";
import type { Standing, Subject, WindowUse } from "./limiter.ts";
import { decisionOf, forgiven, type Usage } from "./usage.ts";
import { current, DAY, MINUTE, type Window } from "./window.ts";

/** Where a key stands at `now` (Unix milliseconds), of which this is known. */
export function standingOf(usage: Usage | undefined, { limits, pardonedAt }: Subject, now: number): Standing {
  const minute = current(usage?.minute, MINUTE, now);
  const day = current(usage?.day, DAY, now);
  const conduct = forgiven(usage?.conduct, pardonedAt);
  const ban = banAt(conduct, now);
  const told = ban && { until: ban.until, begins: false };
  const { shown, windows } = decisionOf("allowed", { minute, day }, limits, now, told);
  return {
    now,
    minute: useOf(minute, usage?.minute, limits.perMinute),
    day: useOf(day, usage?.day, limits.perDay),
    strikes: strikesAt(conduct, now),
    ban,
    shown,
    windows,
  };
}

function useOf(open: Window, known: Window | undefined, limit: number): WindowUse {
  const remaining = Math.max(0, limit - open.count);
  return { used: open.count, limit, remaining, resetAt: open === known ? open.resetAt : undefined };
}
