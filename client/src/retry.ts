import type { PetstoreError } from "./errors.ts";

/** What the first delay is at most, in ms. Each further one may be twice as long. */
const FIRST = 250;

/** What any delay is at most, in ms. */
const LONGEST = 30_000;

/** Full jitter: anything from 0 to a bound that doubles with each retry (1, 2, …), in ms. `random` is from 0 up to 1. */
export function backOff(retry: number, random: number): number {
  return random * Math.min(LONGEST, FIRST * 2 ** (retry - 1));
}

/** Whether the same request may succeed when it is sent once more. Every request can be: creations carry a key. */
export function isWorthRetrying({ code, status }: PetstoreError): boolean {
  if (status === 408 || status === 429 || status >= 500 || code === "idempotency_in_progress") return true;
  // Without an answer, or with one of which only a part arrived.
  return code === "connection_failed" || code === "timed_out" || (code === "unexpected_response" && isSuccess(status));
}

/** Whether the service did what it was asked for. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The seconds in `Retry-After`, which has them as such or as a date (RFC 9110); `now` is in Unix ms. */
export function retryAfterIn(headers: Headers, now: number): number | undefined {
  const text = headers.get("Retry-After") ?? "";
  if (/^\d+$/.test(text)) return Number(text);
  const date = Date.parse(text);
  // By the clock that wrote the date, if the response has one.
  const written = Date.parse(headers.get("Date") ?? "") || now;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - written) / 1000));
}
