import type { Awaitable } from "../awaitable.ts";
import type { Ban } from "./ban.ts";
import type { Limits } from "./plans.ts";

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
export type Quotas = { now: number; shown: WindowQuota; windows: WindowQuota[] };

/** The decision on a request. */
export type Decision = Quotas & {
  outcome: Outcome;
  /** Whether a ban began with this request. */
  beginsBan: boolean;
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

/** Counts requests in one window of a minute for each name, such as a client address. Its refusals lead to no ban. */
export interface MinuteLimiter {
  /** Allows a request and counts it, or refuses it. */
  take(name: string): Decision;
  /** Returns the quota of a name. It does not count as a request. */
  quotas(name: string): Quotas;
  /** Takes back a request that was counted for a name. */
  refund(name: string): void;
  /** Forgets what was counted for a name. */
  forget(name: string): void;
}

/** Counts the requests of a key in two windows, and bans keys that keep sending after refusals. */
export interface Limiter {
  /**
   * Does what `take` does for a request that it allows, if it can do so at once. Otherwise returns undefined, and has counted
   * nothing.
   */
  takeAtOnce?(subject: Subject): Decision | undefined;
  /** Allows a request and counts it in both windows, or refuses it and counts it in neither. */
  take(subject: Subject): Awaitable<Decision>;
  /** Returns the status of the subject's limits. It does not count as a request. */
  status(subject: Subject): Awaitable<LimitStatus>;
}
