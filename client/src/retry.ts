import type { PetstoreError } from "./errors.ts";

/** The bound of the first delay, in ms. It doubles with each retry. */
const FIRST_DELAY = 250;

/** The longest delay, in ms. */
const LONGEST_DELAY = 30_000;

/** Returns a delay with full jitter, in ms: 0 to a bound that doubles with each retry (1, 2, …). `random`: 0 to 1. */
export function backOff(retry: number, random: number): number {
  return random * Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (retry - 1));
}

/** Whether a retry may succeed. Every request is safe to retry: a POST has an idempotency key, the others are idempotent. */
export function isWorthRetrying({ code, status }: PetstoreError): boolean {
  if (status === 408 || status === 429 || status >= 500 || code === "idempotency_in_progress") return true;
  // There was no response, or it was incomplete.
  return code === "connection_failed" || code === "timed_out" || (code === "unexpected_response" && isSuccess(status));
}

/** Whether the status is 2xx. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Returns the seconds in `Retry-After`, which is a number or a date (RFC 9110). `now` is Unix ms. */
export function retryAfterIn(headers: Headers, now: number): number | undefined {
  const text = headers.get("Retry-After") ?? "";
  if (/^\d+$/.test(text)) return Number(text);
  const date = Date.parse(text);
  // Relative to the header Date, if the response has one.
  const written = Date.parse(headers.get("Date") ?? "") || now;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - written) / 1000));
}
