import { type BanState, banAt, isForgotten, isStrike, pardoned, strike } from "./ban.ts";
import type { Decision, Outcome, Subject, WindowQuota } from "./limiter.ts";
import type { Limits } from "./plans.ts";
import { current, DAY, MINUTE, type Window } from "./window.ts";

/** The counted requests of a key: its two windows and, after a refusal, its ban state. */
export type LimitState = { minute: Window; day: Window; banState?: BanState };

/** Decides on a request at `now` (Unix milliseconds). Returns the decision and the new limit state. Source: docs/limits.md. */
export function take(
  before: LimitState | undefined,
  subject: Subject,
  now: number,
): { state: LimitState; decision: Decision } {
  const { limits, pardonedAt } = subject;
  const minute = current(before?.minute, MINUTE, now);
  const day = current(before?.day, DAY, now);
  const banState = withPardon(before?.banState, pardonedAt);

  const [outcome, state] = decide({ minute, day, ...(banState && { banState }) }, limits, now);
  const ban = banAt(state.banState, now);
  const active = ban && { until: ban.until, begins: banAt(banState, now) === undefined };
  return { state, decision: decisionOf(outcome, state, limits, now, active) };
}

function decide(state: LimitState, limits: Limits, now: number): [Outcome, LimitState] {
  const { minute, day, banState } = state;
  if (banAt(banState, now) !== undefined) return ["key_banned", state];

  const isMinuteFull = minute.count >= limits.perMinute;
  const isDayFull = day.count >= limits.perDay;
  if (!isMinuteFull && !isDayFull) {
    return ["allowed", { ...state, minute: withOneMore(minute), day: withOneMore(day) }];
  }

  const isDayAtFault = isDayFull && (!isMinuteFull || day.resetAt >= minute.resetAt);
  const { refusedAt = now } = isDayAtFault ? day : minute;
  const after = isStrike(refusedAt, now) ? strike(banState, limits.perMinute, now) : banState;
  const refused = isDayAtFault ? { minute, day: { ...day, refusedAt } } : { minute: { ...minute, refusedAt }, day };
  const outcome = isDayAtFault ? "quota_exceeded" : "rate_limit_exceeded";
  return [banAt(after, now) === undefined ? outcome : "key_banned", { ...refused, ...(after && { banState: after }) }];
}

function withOneMore(window: Window): Window {
  return { ...window, count: window.count + 1 };
}

/** Whether the state is nothing but the counts and the ends of its windows: the key was not refused in them. */
export function isPlain({ minute, day, banState }: LimitState): boolean {
  return banState === undefined && minute.refusedAt === undefined && day.refusedAt === undefined;
}

/** Whether the state has no effect any more at `now` (Unix milliseconds) and can be removed. */
export function isOver(state: LimitState, now: number): boolean {
  return now >= state.day.resetAt * 1000 && now >= state.minute.resetAt * 1000 && isForgotten(state.banState, now);
}

/** The ban state without strikes and bans from before `pardonedAt` (Unix milliseconds); undefined when nothing remains. */
export function withPardon(banState: BanState | undefined, pardonedAt: number | undefined): BanState | undefined {
  if (banState === undefined || pardonedAt === undefined) return banState;
  const remaining = pardoned(banState, pardonedAt);
  return remaining.strikes.length === 0 && remaining.ban === undefined ? undefined : remaining;
}

/** The end of a ban (Unix seconds), and whether this request begins it. */
export type ActiveBan = { until: number; begins: boolean };

/** Builds a decision. `ban` is the ban that covers the request, if any. */
export function decisionOf(
  outcome: Outcome,
  { minute, day }: LimitState,
  limits: Limits,
  now: number,
  ban: ActiveBan | undefined,
): Decision {
  if (ban !== undefined) return banned(limits, ban, now);
  const byMinute = quotaOf("minute", MINUTE, limits.perMinute, minute);
  const byDay = quotaOf("day", DAY, limits.perDay, day);
  const windows = [byMinute, byDay];
  if (outcome === "allowed") return { outcome, now, shown: tighter(byMinute, byDay), windows, beginsBan: false };
  return { outcome, now, shown: outcome === "quota_exceeded" ? byDay : byMinute, windows, beginsBan: false };
}

function quotaOf(name: WindowQuota["name"], seconds: number, limit: number, window: Window): WindowQuota {
  return { name, seconds, limit, remaining: Math.max(0, limit - window.count), resetAt: window.resetAt };
}

/** Returns the window with fewer remaining requests; on a tie the one that resets later. */
function tighter(a: WindowQuota, b: WindowQuota): WindowQuota {
  if (a.remaining !== b.remaining) return a.remaining < b.remaining ? a : b;
  return a.resetAt > b.resetAt ? a : b;
}

/** During a ban both windows have no remaining requests until its end. */
function banned(limits: Limits, { until, begins }: ActiveBan, now: number): Decision {
  const window = (name: WindowQuota["name"], seconds: number, limit: number): WindowQuota => ({
    name,
    seconds,
    limit,
    remaining: 0,
    resetAt: until,
  });
  const minute = window("minute", MINUTE, limits.perMinute);
  const windows = [minute, window("day", DAY, limits.perDay)];
  return { outcome: "key_banned", now, shown: minute, windows, beginsBan: begins };
}
