import type { Decision, LimitStatus, WindowQuota } from "../../domain/limits/limiter.ts";
import { secondsUntil } from "../../domain/limits/window.ts";

/**
 * Adds the limit headers: the tighter window in `X-RateLimit-*` (docs/limits.md), both windows in `RateLimit-Policy` and
 * `RateLimit` (draft-ietf-httpapi-ratelimit-headers), and `Retry-After` when the request is refused. Seconds are rounded
 * down in `RateLimit`, so that a new minute shows 60, and up in `Retry-After`, so that a client that waits is not refused
 * again.
 */
export function addLimitHeaders(headers: Record<string, string>, limits: Decision | LimitStatus): void {
  const { now, shown, windows } = limits;
  headers["X-RateLimit-Limit"] = String(shown.limit);
  headers["X-RateLimit-Remaining"] = String(shown.remaining);
  headers["X-RateLimit-Reset"] = String(shown.resetAt);
  headers["RateLimit-Policy"] = windows.map(policyOf).join(", ");
  headers.RateLimit = windows.map((window) => remainderOf(window, now)).join(", ");
  if ("outcome" in limits && limits.outcome !== "allowed")
    headers["Retry-After"] = String(secondsUntil(shown.resetAt, now));
}

function policyOf({ name, limit, seconds }: WindowQuota): string {
  return `"${name}";q=${limit};w=${seconds}`;
}

function remainderOf({ name, remaining, resetAt }: WindowQuota, now: number): string {
  return `"${name}";r=${remaining};t=${Math.max(0, Math.floor(resetAt - now / 1000))}`;
}
