import { timestampOf } from "../time.ts";

/** The requests of a key per minute and per day (24 h). Both are positive integers. */
export type Limits = { perMinute: number; perDay: number };

/** The limits of each plan (docs/limits.md, Plans). Enterprise keys have custom limits. */
export const limitsOf = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
} as const satisfies Record<string, Limits>;

export const plans = ["free", "pro", "business", "enterprise"] as const;
export type Plan = (typeof plans)[number];

/** The largest limit. Counts stay exact; no key is unlimited. */
export const MAX_LIMIT = 1_000_000_000;

/** A key is refused from `since` (Unix ms) to `until` (Unix seconds). `step` is the index of its duration. */
export type Ban = { since: number; until: number; step: number };

/**
 * The violations of a key: its strikes of the last ten minutes, as pairs of a Unix second and the strikes in it, oldest
 * first; and its last ban, which is kept as long as it makes the next one longer.
 */
export type BanState = { strikes: [second: number, count: number][]; ban?: Ban };

/** A refusal is a strike from this many milliseconds after the first refusal of its window. */
const BURST_GRACE = 2_000;
/** Strikes count for this many seconds. */
const STRIKE_LIFETIME = 600;
const MIN_STRIKES = 100;
/** The duration of the first, second, … ban, in seconds. Further bans have the last one. */
const BAN_DURATIONS = [300, 900, 3_600, 86_400];
/** A ban that begins within this many seconds of the last one's end has the next duration. */
const ESCALATION_PERIOD = 86_400;

/** Whether a refusal at `now` is a strike. `refusedAt`: the first refusal of its window (both Unix milliseconds). */
export function isStrike(refusedAt: number, now: number): boolean {
  return now - refusedAt >= BURST_GRACE;
}

/** The ban that covers `now` (Unix milliseconds), if any. */
export function banAt(banState: BanState | undefined, now: number): Ban | undefined {
  const ban = banState?.ban;
  return ban !== undefined && now < ban.until * 1000 ? ban : undefined;
}

/** Adds a strike at `now`. A ban begins with the 100th, or the `perMinute`-th if that is more. */
export function strike(banState: BanState | undefined, perMinute: number, now: number): BanState {
  const second = Math.floor(now / 1000);
  const strikes = (banState?.strikes ?? []).filter(([at]) => at > second - STRIKE_LIFETIME && at < second);
  const inThisSecond = banState?.strikes.find(([at]) => at === second)?.[1] ?? 0;
  strikes.push([second, inThisSecond + 1]);
  const total = strikes.reduce((sum, [, count]) => sum + count, 0);
  const last = banState?.ban;
  if (total < Math.max(MIN_STRIKES, perMinute)) return { strikes, ...(last && { ban: last }) };
  return { strikes: [], ban: nextBan(last, now) };
}

/** The number of strikes that count towards a ban at `now` (Unix milliseconds). */
function strikesAt(banState: BanState | undefined, now: number): number {
  const oldest = Math.floor(now / 1000) - STRIKE_LIFETIME;
  return (banState?.strikes ?? []).reduce((sum, [at, count]) => (at > oldest ? sum + count : sum), 0);
}

/** The ban that begins at `now` (Unix milliseconds) after the last one, if there was any. */
export function nextBan(last: Ban | undefined, now: number): Ban {
  const isRepeated = last !== undefined && now < (last.until + ESCALATION_PERIOD) * 1000;
  const step = isRepeated ? Math.min(last.step + 1, BAN_DURATIONS.length - 1) : 0;
  return { since: now, until: Math.ceil(now / 1000) + (BAN_DURATIONS[step] ?? 0), step };
}

/** Removes strikes and bans from before `pardonedAt` (Unix milliseconds). */
export function pardoned(banState: BanState, pardonedAt: number): BanState {
  const strikes = banState.strikes.filter(([second]) => second * 1000 > pardonedAt);
  const ban = banState.ban !== undefined && banState.ban.since > pardonedAt ? banState.ban : undefined;
  return { strikes, ...(ban && { ban }) };
}

/** Whether the ban state has no effect any more at `now` (Unix milliseconds). */
export function isForgotten(banState: BanState | undefined, now: number): boolean {
  if (banState === undefined) return true;
  const lastStrike = banState.strikes.at(-1)?.[0] ?? 0;
  if (lastStrike > now / 1000 - STRIKE_LIFETIME) return false;
  return banState.ban === undefined || now >= (banState.ban.until + ESCALATION_PERIOD) * 1000;
}

/** The key whose requests are counted. Strikes and bans from before `pardonedAt` (Unix milliseconds) do not count. */
export type Subject = { id: string; limits: Limits; pardonedAt?: number };

export type Outcome = "allowed" | "rate_limit_exceeded" | "quota_exceeded" | "key_banned";

/** One window as the client sees it: `remaining` of `limit` requests, until `resetAt` (Unix seconds). */
export type WindowQuota = {
  name: "minute" | "day";
  seconds: number;
  limit: number;
  remaining: number;
  resetAt: number;
};

/** The quotas at `now` (Unix milliseconds). The X-RateLimit headers describe the window `shown`. */
export type Quotas = {
  now: number;
  shown: WindowQuota;
  windows: WindowQuota[];
  /** During a ban: what its end leaves of both windows, which `windows` shows as used up until then. */
  withoutBan?: WindowQuota[] | undefined;
};

export type Decision = Quotas & {
  outcome: Outcome;
  beginsBan: boolean;
  /** The seconds after which a refused client may try again, where that is earlier than the end of the shown window. */
  retryAfter?: number;
};

/** The usage of a window: `used` of `limit` requests until `resetAt` (Unix seconds), undefined while it is not open. */
export type WindowUsage = { used: number; limit: number; remaining: number; resetAt: number | undefined };

/**
 * The status of a key's limits. Reading it does not count as a request. Its quotas show a window that is not open as if it
 * opened now.
 */
export type LimitStatus = Quotas & {
  minute: WindowUsage;
  day: WindowUsage;
  /** The strikes that count towards a ban. */
  strikes: number;
  ban: Ban | undefined;
};

/**
 * A fixed window: `count` requests so far; it ends at `resetAt` (Unix seconds).
 * `refusedAt` (Unix milliseconds) is the time of its first refusal.
 */
export type Window = { count: number; resetAt: number; refusedAt?: number };

/** The lengths of the two windows, in seconds. */
export const MINUTE = 60;
export const DAY = 86_400;

/** A window that ends more than its length and this many seconds from now was opened before the clock was set back. */
const SLACK = 5;

/**
 * Returns the window of `seconds` that covers `now` (Unix milliseconds): `window`, or a new one after its end.
 * A new one ends on a whole second, so that the headers state its end exactly, and at most `seconds` from now, so that
 * requests evenly spaced at the limit's rate are never refused.
 */
export function current(window: Window | undefined, seconds: number, now: number): Window {
  if (window !== undefined && isCurrent(window, seconds, now)) return window;
  return { count: 0, resetAt: Math.floor(now / 1000) + seconds };
}

/** Whether a window of `seconds` covers `now` (Unix milliseconds). */
function isCurrent({ resetAt }: Window, seconds: number, now: number): boolean {
  const left = resetAt * 1000 - now;
  return left > 0 && left <= (seconds + SLACK) * 1000;
}

/** The seconds from `now` (Unix milliseconds) to `resetAt` (Unix seconds), rounded up, at least 1. */
export function secondsUntil(resetAt: number, now: number): number {
  return Math.max(1, Math.ceil(resetAt - now / 1000));
}

/** The counted requests of a key: its two windows and, after a refusal, its ban state. */
export type LimitState = { minute: Window; day: Window; banState?: BanState };

/**
 * Decides on a request at `now` (Unix milliseconds) that counts as `cost` requests. Returns the decision and the new limit state.
 * One that counts as none is allowed if one more would be. Source: docs/limits.md.
 */
export function take(before: LimitState | undefined, subject: Subject, now: number, cost = 1) {
  const { limits, pardonedAt } = subject;
  const minute = current(before?.minute, MINUTE, now);
  const day = current(before?.day, DAY, now);
  const banState = withPardon(before?.banState, pardonedAt);

  const [outcome, state] = decide({ minute, day, ...(banState && { banState }) }, limits, now, cost);
  const ban = banAt(state.banState, now);
  const active = ban && { until: ban.until, begins: banAt(banState, now) === undefined };
  return { state, decision: decisionOf(outcome, state, limits, now, active) };
}

function decide(state: LimitState, limits: Limits, now: number, cost: number): [Outcome, LimitState] {
  const { minute, day, banState } = state;
  if (banAt(banState, now) !== undefined) return ["key_banned", state];

  const isMinuteFull = !hasRoom(minute, limits.perMinute, cost);
  const isDayFull = !hasRoom(day, limits.perDay, cost);
  if (!isMinuteFull && !isDayFull) {
    return ["allowed", { ...state, minute: withMore(minute, cost), day: withMore(day, cost) }];
  }

  const isDayAtFault = isDayFull && (!isMinuteFull || day.resetAt >= minute.resetAt);
  const { refusedAt = now } = isDayAtFault ? day : minute;
  const after = isStrike(refusedAt, now) ? strike(banState, limits.perMinute, now) : banState;
  const refused = isDayAtFault ? { minute, day: { ...day, refusedAt } } : { minute: { ...minute, refusedAt }, day };
  const outcome = isDayAtFault ? "quota_exceeded" : "rate_limit_exceeded";
  return [banAt(after, now) === undefined ? outcome : "key_banned", { ...refused, ...(after && { banState: after }) }];
}

function hasRoom({ count }: Window, limit: number, cost: number): boolean {
  return count + Math.max(1, cost) <= limit;
}

function withMore(window: Window, cost: number): Window {
  return { ...window, count: window.count + cost };
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
type ActiveBan = { until: number; begins: boolean };

/** Builds a decision. `ban` is the ban that covers the request, if any. */
export function decisionOf(
  outcome: Outcome,
  { minute, day }: LimitState,
  limits: Limits,
  now: number,
  ban: ActiveBan | undefined,
): Decision {
  const byMinute = quotaOf("minute", MINUTE, limits.perMinute, minute);
  const byDay = quotaOf("day", DAY, limits.perDay, day);
  if (ban !== undefined) return banned(byMinute, byDay, ban, now);
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
function banned(byMinute: WindowQuota, byDay: WindowQuota, { until, begins }: ActiveBan, now: number): Decision {
  const usedUp = (window: WindowQuota): WindowQuota => ({ ...window, remaining: 0, resetAt: until });
  const shown = usedUp(byMinute);
  const windows = [shown, usedUp(byDay)];
  return { outcome: "key_banned", now, shown, windows, withoutBan: [byMinute, byDay], beginsBan: begins };
}

/**
 * Counts a request in `state` itself, as `take` would in a new one, if both windows are open and have room and nothing is
 * known of violations: nearly every request. Returns the decision; undefined if it counted nothing, and `take` decides.
 */
export function takeInPlace(state: LimitState, limits: Limits, now: number, cost = 1): Decision | undefined {
  const { minute, day, banState } = state;
  if (banState !== undefined || !isCurrent(minute, MINUTE, now) || !isCurrent(day, DAY, now)) return undefined;
  if (!hasRoom(minute, limits.perMinute, cost) || !hasRoom(day, limits.perDay, cost)) return undefined;
  minute.count += cost;
  day.count += cost;
  return decisionOf("allowed", state, limits, now, undefined);
}

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
  const { shown, windows, withoutBan } = decisionOf("allowed", { minute, day }, limits, now, active);
  return {
    now,
    minute: usageOf(minute, state?.minute, limits.perMinute),
    day: usageOf(day, state?.day, limits.perDay),
    strikes: strikesAt(banState, now),
    ban,
    shown,
    windows,
    withoutBan,
  };
}

function usageOf(open: Window, known: Window | undefined, limit: number): WindowUsage {
  const remaining = Math.max(0, limit - open.count);
  return { used: open.count, limit, remaining, resetAt: open === known ? open.resetAt : undefined };
}

/**
 * A key whose allowed requests are counted in memory that several processes share: in `cell`, of which this is the use with
 * the number `generation`. `since` is the key's limit state when it began. What changes more than the two counts ends it.
 */
export type SharedCount = { cell: number; generation: number; since: LimitState };

/** The limit state of a key after `taken` more requests. */
export function stateAfter({ minute, day, ...others }: LimitState, taken: number): LimitState {
  return {
    ...others,
    minute: { ...minute, count: minute.count + taken },
    day: { ...day, count: day.count + taken },
  };
}

/**
 * Decides on a request at `now` (Unix milliseconds), as `take` does. `changesCountsAlone` is whether it is allowed, in the
 * two windows of before: then its cost is all that is taken.
 */
export function takeAfter(since: LimitState, taken: number, subject: Subject, now: number, cost: number) {
  const { state, decision } = take(stateAfter(since, taken), subject, now, cost);
  const isSame = state.minute.resetAt === since.minute.resetAt && state.day.resetAt === since.day.resetAt;
  return { decision, changesCountsAlone: decision.outcome === "allowed" && isSame };
}

/** Decides on a request at `now` (Unix ms) that counts in a single window. `limit`: requests per minute. */
export function takeFromWindow(before: Window | undefined, limit: number, now: number) {
  const open = current(before, MINUTE, now);
  const outcome: Outcome = open.count < limit ? "allowed" : "rate_limit_exceeded";
  const window = outcome === "allowed" ? withMore(open, 1) : open;
  const decision: Decision = { ...windowQuotas(window, limit, now), outcome, beginsBan: false };
  return { window, decision };
}

/** Returns the quota of a single window at `now` (Unix ms). It does not count as a request. */
export function windowQuotas(before: Window | undefined, limit: number, now: number): Quotas {
  const { count, resetAt } = current(before, MINUTE, now);
  const quota: WindowQuota = { name: "minute", seconds: MINUTE, limit, remaining: limit - count, resetAt };
  return { now, shown: quota, windows: [quota] };
}

export function windowJson({ limit, used, remaining, resetAt }: WindowUsage) {
  return { limit, used, remaining, resetAt: timestampOf(resetAt && resetAt * 1000) };
}
