import { banAt, type Conduct, isForgotten, isStrike, pardoned, strike } from "./ban.ts";
import type { Decision, Outcome, Subject, WindowState } from "./limiter.ts";
import type { Limits } from "./plans.ts";
import { current, DAY, MINUTE, type Window } from "./window.ts";

/** What is known of one key's requests: its two windows and, once it was refused, its conduct. */
export type Usage = { minute: Window; day: Window; conduct?: Conduct };

/** One request at `now` (Unix milliseconds): what becomes of it, and the usage after it. Source: decisions on limits and bans. */
export function take(before: Usage | undefined, subject: Subject, now: number): { usage: Usage; decision: Decision } {
  const { limits, pardonedAt } = subject;
  const minute = current(before?.minute, MINUTE, now);
  const day = current(before?.day, DAY, now);
  const conduct = forgiven(before?.conduct, pardonedAt);

  const ban = banAt(conduct, now);
  if (ban !== undefined) return { usage: usageOf(minute, day, conduct), decision: banned(limits, ban.until, now) };

  const isMinuteFull = minute.count >= limits.perMinute;
  const isDayFull = day.count >= limits.perDay;
  if (!isMinuteFull && !isDayFull) {
    const usage = usageOf({ ...minute, count: minute.count + 1 }, { ...day, count: day.count + 1 }, conduct);
    return { usage, decision: decide("allowed", usage, limits, now) };
  }

  const isDayAtFault = isDayFull && (!isMinuteFull || day.resetAt >= minute.resetAt);
  const { refusedAt = now } = isDayAtFault ? day : minute;
  const after = isStrike(refusedAt, now) ? strike(conduct, limits.perMinute, now) : conduct;
  const usage = isDayAtFault
    ? usageOf(minute, { ...day, refusedAt }, after)
    : usageOf({ ...minute, refusedAt }, day, after);
  const begun = banAt(after, now);
  if (begun !== undefined) return { usage, decision: banned(limits, begun.until, now) };
  return { usage, decision: decide(isDayAtFault ? "quota_exceeded" : "rate_limit_exceeded", usage, limits, now) };
}

/** Whether nothing of this usage matters any more at `now` (Unix milliseconds), so that it need not be kept. */
export function isOver(usage: Usage, now: number): boolean {
  return now >= usage.day.resetAt * 1000 && now >= usage.minute.resetAt * 1000 && isForgotten(usage.conduct, now);
}

function usageOf(minute: Window, day: Window, conduct: Conduct | undefined): Usage {
  return conduct === undefined ? { minute, day } : { minute, day, conduct };
}

function forgiven(conduct: Conduct | undefined, pardonedAt: number | undefined): Conduct | undefined {
  if (conduct === undefined || pardonedAt === undefined) return conduct;
  const rest = pardoned(conduct, pardonedAt);
  return rest.strikes.length === 0 && rest.ban === undefined ? undefined : rest;
}

function decide(outcome: Outcome, { minute, day }: Usage, limits: Limits, now: number): Decision {
  const byMinute = stateOf("minute", MINUTE, limits.perMinute, minute);
  const byDay = stateOf("day", DAY, limits.perDay, day);
  const windows = [byMinute, byDay];
  if (outcome === "allowed") return { outcome, now, shown: tighter(byMinute, byDay), windows };
  return { outcome, now, shown: outcome === "quota_exceeded" ? byDay : byMinute, windows };
}

function stateOf(name: WindowState["name"], seconds: number, limit: number, window: Window): WindowState {
  return { name, seconds, limit, remaining: Math.max(0, limit - window.count), resetAt: window.resetAt };
}

/** The window with fewer requests remaining; on a tie the one that resets later. */
function tighter(a: WindowState, b: WindowState): WindowState {
  if (a.remaining !== b.remaining) return a.remaining < b.remaining ? a : b;
  return a.resetAt > b.resetAt ? a : b;
}

/** During a ban nothing remains in either window until the ban's end. */
function banned(limits: Limits, until: number, now: number): Decision {
  const window = (name: WindowState["name"], seconds: number, limit: number): WindowState => ({
    name,
    seconds,
    limit,
    remaining: 0,
    resetAt: until,
  });
  const minute = window("minute", MINUTE, limits.perMinute);
  const windows = [minute, window("day", DAY, limits.perDay)];
  return { outcome: "key_banned", now, shown: minute, windows };
}
