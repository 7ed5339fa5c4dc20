import { PetstoreError } from "../../../domain/errors.ts";
import type { MinuteLimiter } from "../../../domain/limits/limiter.ts";
import { secondsUntil } from "../../../domain/limits/window.ts";
import { clientAddress, type parseRanges } from "../client-address.ts";
import type { RequestContext } from "../request-context.ts";

/** Counts an attempt for `name`. @throws rate_limit_exceeded */
export function consume(limiter: MinuteLimiter, name: string): void {
  const { outcome, shown, now } = limiter.take(name);
  if (outcome === "allowed") return;
  const message = "Too many attempts from this address. Wait for the seconds in Retry-After.";
  throw new PetstoreError("rate_limit_exceeded", { message, retryAfter: secondsUntil(shown.resetAt, now) });
}

/** The client address that an attempt counts for. */
export function addressOf({ request, connection }: RequestContext, proxies: ReturnType<typeof parseRanges>): string {
  return clientAddress(connection.address(), request.headers.get("X-Forwarded-For"), proxies);
}
