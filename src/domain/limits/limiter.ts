import type { Awaitable } from "../awaitable.ts";
import type { Ban } from "./ban.ts";
import type { Limits } from "./plans.ts";

/** The key that limits are counted for. Everything before `pardonedAt` (Unix milliseconds) is forgiven. */
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

/** What the headers show at `now` (Unix milliseconds): each window, and in `shown` the one of the plain headers. */
export type Quotas = { now: number; shown: WindowQuota; windows: WindowQuota[] };

/** What the limits decided about one request. */
export type Decision = Quotas & {
  outcome: Outcome;
  /** Whether a ban began with this request. */
  beginsBan: boolean;
};

/** What one window has counted: `used` of `limit` requests, until `resetAt` (Unix seconds); a window that is not open has no end. */
export type WindowUsage = { used: number; limit: number; remaining: number; resetAt: number | undefined };

/** What a key's windows count. Reading it counts nowhere. The headers show a window that is not open as if it opened now. */
export type LimitStatus = Quotas & {
  minute: WindowUsage;
  day: WindowUsage;
  /** The strikes that count towards a ban. */
  strikes: number;
  ban: Ban | undefined;
};

/** Counts requests in one window of a minute for each name, such as a client address. Its refusals lead to no ban. */
export interface MinuteLimiter {
  /** Counts one request, or refuses it and counts it nowhere. */
  take(name: string): Decision;
  /** What is left under this name. Reading it counts nowhere. */
  quotas(name: string): Quotas;
}

/** Counts requests against a key's two windows, and bans keys that do not stop when refused. */
export interface Limiter {
  /** Counts one request, or refuses it and counts it in neither window. */
  take(subject: Subject): Awaitable<Decision>;
  /** What the subject's windows count. Reading it counts nowhere. */
  status(subject: Subject): Awaitable<LimitStatus>;
}
