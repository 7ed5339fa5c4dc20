import type { Decision, Quotas, WindowQuota } from "../../domain/limits/limiter.ts";
import { secondsUntil } from "../../domain/limits/window.ts";

/** The largest number of kept policies: each key may have limits of its own. */
const MOST_POLICIES = 1_000;

/**
 * Adds the limit headers: the tighter window in `X-RateLimit-*` (docs/limits.md), both windows in `RateLimit-Policy` and
 * `RateLimit` (draft-ietf-httpapi-ratelimit-headers), and `Retry-After` when the request is refused. Seconds are rounded
 * up, so that a client that waits is not refused again.
 */
export function addLimitHeaders(headers: Record<string, string>, limits: Decision | Quotas): void {
  const { windows, now } = limits;
  addShownWindow(headers, limits);
  headers["RateLimit-Policy"] = keptPolicies.of(windows);
  let remainders = "";
  // Each request has these: `map` and `join` would take three times as long.
  for (const window of windows) remainders += remainderOf(window, now, remainders === "" ? "" : ", ");
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

/** The policies of windows, by their limits: nearly all keys have those of a few plans. */
class KeptPolicies {
  readonly #texts = new Map<number, Map<number, string>>();
  #count = 0;

  of(windows: readonly WindowQuota[]): string {
    const first = windows[0]?.limit ?? -1;
    const second = windows[1]?.limit ?? -1;
    return this.#texts.get(first)?.get(second) ?? this.#keep(first, second, windows.map(policyOf).join(", "));
  }

  #keep(first: number, second: number, text: string): string {
    if (this.#count === MOST_POLICIES) {
      this.#texts.clear();
      this.#count = 0;
    }
    const texts = this.#texts.get(first) ?? new Map<number, string>();
    this.#texts.set(first, texts.set(second, text));
    this.#count += 1;
    return text;
  }
}

const keptPolicies = new KeptPolicies();

function policyOf({ name, limit, seconds }: WindowQuota): string {
  return `"${name}";q=${limit};w=${seconds}`;
}

function remainderOf({ name, remaining, resetAt }: WindowQuota, now: number, separator: string): string {
  return `${separator}"${name}";r=${remaining};t=${secondsUntil(resetAt, now)}`;
}
