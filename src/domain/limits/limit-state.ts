import { type BanState, banAt, isForgotten, isStrike, pardoned, strike } from "./ban.ts";
import type { Decision, Outcome, Subject, WindowQuota } from "./limiter.ts";
import type { Limits } from "./plans.ts";
import { current, DAY, MINUTE, type Window } from "./window.ts";

/** What the limits count for one key: its two windows and, once it was refused, its ban state. */
export type LimitState = { minute: Window; day: Window; banState?: BanState };

/** One request at `now` (Unix milliseconds): the decision, and the limit state after it. Source: docs/limits.md. */
export function take(
  before: LimitState | undefined,
  subject: Subject,
  now: number,
): { state: LimitState; decision: Decision } {
  const { limits, pardonedAt } = subject;
  const minute = current(before?.minute, MINUTE, now);
  const day = current(before?.day, DAY, now);
  const banState = forgiven(before?.banState, pardonedAt);

  const [outcome, state] = judge({ minute, day, ...(banState && { banState }) }, limits, now);
  const ban = banAt(state.banState, now);
  const active = ban && { until: ban.until, begins: banAt(banState, now) === undefined };
  return { state, decision: decisionOf(outcome, state, limits, now, active) };
}

function judge(state: LimitState, limits: Limits, now: number): [Outcome, LimitState] {
  const { minute, day, banState } = state;
  if (banAt(banState, now) !== undefined) return ["key_banned", state];

  const isMinuteFull = minute.count >= limits.perMinute;
  const isDayFull = day.count >= limits.perDay;
  if (!isMinuteFull && !isDayFull) {
    return ["allowed", { ...state, minute: countedOnce(minute), day: countedOnce(day) }];
  }

  const isDayAtFault = isDayFull && (!isMinuteFull || day.resetAt >= minute.resetAt);
  const { refusedAt = now } = isDayAtFault ? day : minute;
  const after = isStrike(refusedAt, now) ? strike(banState, limits.perMinute, now) : banState;
  const refused = isDayAtFault ? { minute, day: { ...day, refusedAt } } : { minute: { ...minute, refusedAt }, day };
  const outcome = isDayAtFault ? "quota_exceeded" : "rate_limit_exceeded";
  return [banAt(after, now) === undefined ? outcome : "key_banned", { ...refused, ...(after && { banState: after }) }];
}

function countedOnce(window: Window): Window {
  return { ...window, count: window.count + 1 };
}

/** Whether the state no longer matters at `now` (Unix milliseconds), so that it can be dropped. */
export function isOver(state: LimitState, now: number): boolean {
  return now >= state.day.resetAt * 1000 && now >= state.minute.resetAt * 1000 && isForgotten(state.banState, now);
}

/** What is left of a ban state once everything up to `pardonedAt` (Unix milliseconds) is forgiven. */
export function forgiven(banState: BanState | undefined, pardonedAt: number | undefined): BanState | undefined {
  if (banState === undefined || pardonedAt === undefined) return banState;
  const rest = pardoned(banState, pardonedAt);
  return rest.strikes.length === 0 && rest.ban === undefined ? undefined : rest;
}

/** The end of a ban (Unix seconds), and whether it begins with the request that is decided on. */
export type ActiveBan = { until: number; begins: boolean };

/** The decision that the client sees; `ban` is the one that covers the request, if any. */
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

/** The window with fewer requests remaining; on a tie the one that resets later. */
function tighter(a: WindowQuota, b: WindowQuota): WindowQuota {
  if (a.remaining !== b.remaining) return a.remaining < b.remaining ? a : b;
  return a.resetAt > b.resetAt ? a : b;
}

/** During a ban nothing remains in either window until the ban's end. */
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
