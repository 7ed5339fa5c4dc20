import type { Awaitable } from "../awaitable.ts";
import type { Ban } from "./ban.ts";
import type { Limits } from "./plans.ts";

/** Whom the limits are counted for. Everything before `pardonedAt` (Unix milliseconds) is forgiven. */
export type Subject = { id: string; limits: Limits; pardonedAt?: number };

export type Outcome = "allowed" | "rate_limit_exceeded" | "quota_exceeded" | "key_banned";

/** What a caller is told of one window: `remaining` of `limit` requests, until `resetAt` (Unix seconds). */
export type WindowQuota = {
  name: "minute" | "day";
  seconds: number;
  limit: number;
  remaining: number;
  resetAt: number;
};

/** What became of one request at `now` (Unix milliseconds). `shown` is the window that the plain headers name. */
export type Decision = {
  outcome: Outcome;
  now: number;
  shown: WindowQuota;
  windows: WindowQuota[];
  /** Whether this very request was one too many, so that a ban began with it. */
  beginsBan: boolean;
};

/** What one window has counted: `used` of `limit` requests, until `resetAt` (Unix seconds); a window that is not open has no end. */
export type WindowUsage = { used: number; limit: number; remaining: number; resetAt: number | undefined };

/** Where a key stands at `now` (Unix ms), with nothing counted for asking. */
export type LimitStatus = {
  now: number;
  minute: WindowUsage;
  day: WindowUsage;
  /** Those that count towards a ban. */
  strikes: number;
  ban: Ban | undefined;
  /** What the limits' headers say of it: as if the windows opened now that are not open. */
  shown: WindowQuota;
  windows: WindowQuota[];
};

/** Counts requests against a key's two windows, and bans keys that do not stop when refused. */
export interface Limiter {
  /** Counts one request, or refuses it and counts it in neither window. */
  take(subject: Subject): Awaitable<Decision>;
  /** Where the subject stands. Asking counts nowhere. */
  status(subject: Subject): Awaitable<LimitStatus>;
}
