import { type BanState, banAt, isForgotten, isStrike, pardoned, strike } from "./ban.ts";
import type { Decision, Outcome, Subject, WindowQuota } from "./limiter.ts";
import type { Limits } from "./plans.ts";
import { current, DAY, MINUTE, type Window } from "./window.ts";

/** What is known of one key's requests: its two windows and, once it was refused, its banState. */
export type LimitState = { minute: Window; day: Window; banState?: BanState };

/** One request at `now` (Unix milliseconds): what becomes of it, and the usage after it. Source: decisions on limits and bans. */
export function take(
  before: LimitState | undefined,
  subject: Subject,
  now: number,
): { usage: LimitState; decision: Decision } {
  const { limits, pardonedAt } = subject;
  const minute = current(before?.minute, MINUTE, now);
  const day = current(before?.day, DAY, now);
  const banState = forgiven(before?.banState, pardonedAt);

  const [outcome, usage] = judge({ minute, day, ...(banState && { banState }) }, limits, now);
  const ban = banAt(usage.banState, now);
  const told = ban && { until: ban.until, begins: banAt(banState, now) === undefined };
  return { usage, decision: decisionOf(outcome, usage, limits, now, told) };
}

function judge(usage: LimitState, limits: Limits, now: number): [Outcome, LimitState] {
  const { minute, day, banState } = usage;
  if (banAt(banState, now) !== undefined) return ["key_banned", usage];

  const isMinuteFull = minute.count >= limits.perMinute;
  const isDayFull = day.count >= limits.perDay;
  if (!isMinuteFull && !isDayFull) {
    return ["allowed", { ...usage, minute: countedOnce(minute), day: countedOnce(day) }];
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

/** Whether nothing of this usage matters any more at `now` (Unix milliseconds), so that it need not be kept. */
export function isOver(usage: LimitState, now: number): boolean {
  return now >= usage.day.resetAt * 1000 && now >= usage.minute.resetAt * 1000 && isForgotten(usage.banState, now);
}

/** What is left of a banState once everything up to `pardonedAt` (Unix milliseconds) is forgiven. */
export function forgiven(banState: BanState | undefined, pardonedAt: number | undefined): BanState | undefined {
  if (banState === undefined || pardonedAt === undefined) return banState;
  const rest = pardoned(banState, pardonedAt);
  return rest.strikes.length === 0 && rest.ban === undefined ? undefined : rest;
}

/** The end of a ban (Unix seconds), and whether it begins with the request that is decided on. */
export type ActiveBan = { until: number; begins: boolean };

/** What a caller is told; `ban` is what keeps it out, where something does. */
export function decisionOf(
  outcome: Outcome,
  { minute, day }: LimitState,
  limits: Limits,
  now: number,
  ban: ActiveBan | undefined,
): Decision {
  if (ban !== undefined) return banned(limits, ban, now);
  const byMinute = stateOf("minute", MINUTE, limits.perMinute, minute);
  const byDay = stateOf("day", DAY, limits.perDay, day);
  const windows = [byMinute, byDay];
  if (outcome === "allowed") return { outcome, now, shown: tighter(byMinute, byDay), windows, beginsBan: false };
  return { outcome, now, shown: outcome === "quota_exceeded" ? byDay : byMinute, windows, beginsBan: false };
}

function stateOf(name: WindowQuota["name"], seconds: number, limit: number, window: Window): WindowQuota {
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
