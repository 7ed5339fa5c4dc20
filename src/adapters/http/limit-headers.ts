import type { Decision, Quotas, WindowQuota } from "../../domain/limits/limiter.ts";
import { secondsUntil } from "../../domain/limits/window.ts";

/**
 * Adds the limit headers: the tighter window in `X-RateLimit-*` (docs/limits.md), both windows in `RateLimit-Policy` and
 * `RateLimit` (draft-ietf-httpapi-ratelimit-headers), and `Retry-After` when the request is refused. Seconds are rounded
 * up, so that a client that waits is not refused again.
 */
export function addLimitHeaders(headers: Record<string, string>, limits: Decision | Quotas): void {
  addShownWindow(headers, limits);
  let policies = "";
  let remainders = "";
  // Each request has these: `map` and `join` would take three times as long.
  for (const window of limits.windows) {
    const separator = policies === "" ? "" : ", ";
    policies += separator + policyOf(window);
    remainders += separator + remainderOf(window, limits.now);
  }
  headers["RateLimit-Policy"] = policies;
  headers.RateLimit = remainders;
}

/** Removes what `addLimitHeaders` added. */
export function removeLimitHeaders(headers: Record<string, string>): void {
  for (const name of ["Limit", "Remaining", "Reset"]) delete headers[`X-RateLimit-${name}`];
  for (const name of ["Retry-After", "RateLimit-Policy", "RateLimit"]) delete headers[name];
}

/** Adds the plain headers alone. */
export function addShownWindow(headers: Record<string, string>, limits: Decision | Quotas): void {
  const { now, shown } = limits;
  headers["X-RateLimit-Limit"] = String(shown.limit);
  headers["X-RateLimit-Remaining"] = String(shown.remaining);
  headers["X-RateLimit-Reset"] = String(shown.resetAt);
  if ("outcome" in limits && limits.outcome !== "allowed")
    headers["Retry-After"] = String(secondsUntil(shown.resetAt, now));
}

function policyOf({ name, limit, seconds }: WindowQuota): string {
  return `"${name}";q=${limit};w=${seconds}`;
}

function remainderOf({ name, remaining, resetAt }: WindowQuota, now: number): string {
  return `"${name}";r=${remaining};t=${secondsUntil(resetAt, now)}`;
}
