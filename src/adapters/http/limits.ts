import { type Awaitable, after } from "../../domain/awaitable.ts";
import { PetstoreError } from "../../domain/errors.ts";
import type { ActivityRecorder } from "../../domain/keys/activity.ts";
import type { Key } from "../../domain/keys/key.ts";
import type { Decision, Limiter } from "../../domain/limits/limiter.ts";
import { clientAddress, type parseRanges } from "./client-address.ts";
import { addLimitHeaders } from "./limit-headers.ts";
import type { AdmittedContext, PublicContext } from "./operations/operation.ts";

/** Limits requests without a valid key, by client address. */
export type AnonymousLimiter = { take(address: string): Decision };

type Services = {
  limiter: Limiter;
  addresses: AnonymousLimiter;
  activity: ActivityRecorder;
  trustedProxies: ReturnType<typeof parseRanges>;
};

/** lastUsedAt is accurate to this many milliseconds. */
const LAST_USE_ACCURACY = 60_000;

/**
 * Counts a request in its key's windows, and adds the limit headers. A free operation is not counted: it also works when
 * no requests remain, and during a ban. @throws rate_limit_exceeded, quota_exceeded, key_banned
 */
export function consume(context: AdmittedContext, { limiter, activity }: Services): Awaitable<void> {
  const { key } = context;
  if (context.route.operation?.isFree) {
    return after(limiter.status(key), (status) => {
      context.limitStatus = status;
      addLimitHeaders(context.headers, status);
      recordUse(activity, key, status.now);
    });
  }
  return after(limiter.take(key), (decision) => {
    recordUse(activity, key, decision.now);
    enforce(context, decision);
  });
}

/** Counts a request without a valid key, by client address. @throws rate_limit_exceeded */
export function consumeAnonymously(context: PublicContext, { addresses, trustedProxies }: Services): void {
  const { request, peer } = context;
  enforce(context, addresses.take(clientAddress(peer(), request.headers.get("X-Forwarded-For"), trustedProxies)));
}

function enforce(context: PublicContext, decision: Decision): void {
  context.decision = decision;
  addLimitHeaders(context.headers, decision);
  if (decision.outcome !== "allowed") throw new PetstoreError(decision.outcome);
}

function recordUse(activity: ActivityRecorder, { id, lastUsedAt = 0 }: Key, now: number): void {
  if (now - lastUsedAt >= LAST_USE_ACCURACY) activity.used(id, now);
}
