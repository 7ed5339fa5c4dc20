import { type Awaitable, after } from "../../domain/awaitable.ts";
import { PetstoreError } from "../../domain/errors.ts";
import type { ActivityRecorder } from "../../domain/keys/activity.ts";
import type { Key } from "../../domain/keys/key.ts";
import type { Decision, Limiter, Quotas } from "../../domain/limits/limiter.ts";
import { clientAddress, type parseRanges } from "./client-address.ts";
import { addLimitHeaders } from "./limit-headers.ts";
import type { AdmittedContext, PublicContext } from "./operations/operation.ts";

/** Counts requests without a valid key, by client address. */
export type AnonymousLimiter = {
  take(address: string): Decision;
  /** What the address has left. Reading it counts nowhere. */
  quotas(address: string): Quotas;
};

type Services = {
  limiter: Limiter;
  addresses: AnonymousLimiter;
  activity: ActivityRecorder;
  trustedProxies: ReturnType<typeof parseRanges>;
};

/** lastUsedAt is accurate to this many milliseconds. */
const LAST_USE_ACCURACY = 60_000;

/**
 * Counts a request in its key's windows, and adds the headers of its limits. A free operation only looks at them: it is
 * answered when nothing is left, and during a ban. @throws rate_limit_exceeded, quota_exceeded, key_banned
 */
export function consume(context: AdmittedContext, { limiter, activity }: Services): Awaitable<void> {
  const { key } = context;
  if (context.route.operation?.isFree) {
    return after(limiter.status(key), (status) => {
      context.limitStatus = status;
      addLimitHeaders(context.headers, status);
      noteUse(activity, key, status.now);
    });
  }
  return after(limiter.take(key), (decision) => {
    noteUse(activity, key, decision.now);
    obey(context, decision);
  });
}

/** Counts a request without a valid key, by the address of its client. @throws rate_limit_exceeded */
export function consumeAnonymously(context: PublicContext, services: Services): void {
  obey(context, services.addresses.take(addressOf(context, services)));
}

/** Adds the headers of the limit by client address, and counts nothing. */
export function showAddressLimit(context: PublicContext, services: Services): void {
  addLimitHeaders(context.headers, services.addresses.quotas(addressOf(context, services)));
}

function addressOf({ request, peer }: PublicContext, { trustedProxies }: Services): string {
  return clientAddress(peer(), request.headers.get("X-Forwarded-For"), trustedProxies);
}

function obey(context: PublicContext, decision: Decision): void {
  context.decision = decision;
  addLimitHeaders(context.headers, decision);
  if (decision.outcome !== "allowed") throw new PetstoreError(decision.outcome);
}

function noteUse(activity: ActivityRecorder, { id, lastUsedAt = 0 }: Key, now: number): void {
  if (now - lastUsedAt >= LAST_USE_ACCURACY) activity.used(id, now);
}
