import { type Awaitable, after } from "../../domain/awaitable.ts";
import { PetstoreError } from "../../domain/errors.ts";
import type { ActivityRecorder } from "../../domain/keys/activity.ts";
import type { RequestKey } from "../../domain/keys/key.ts";
import type { Decision, Limiter, MinuteLimiter } from "../../domain/limits/limiter.ts";
import { limitedAs } from "../../domain/simulation/limited.ts";
import { clientAddress, type parseRanges } from "./client-address.ts";
import { addLimitHeaders, addShownWindow, removeLimitHeaders } from "./limit-headers.ts";
import type { AdmittedContext, PublicContext } from "./operations/operation.ts";

type Services = {
  limiter: Limiter;
  /** The limit of requests without a valid key, by client address, and the one of free operations, by key id. */
  addresses: MinuteLimiter;
  freeUses: MinuteLimiter;
  activity: ActivityRecorder;
  trustedProxies: ReturnType<typeof parseRanges>;
};

/** lastUsedAt is accurate to this many milliseconds. */
const LAST_USE_ACCURACY = 60_000;

/**
 * Counts a request in its key's windows, and adds the limit headers. A free operation counts in a window of its own alone:
 * it also works when no requests remain, and during a ban. @throws rate_limit_exceeded, quota_exceeded, key_banned
 */
export function consume(context: AdmittedContext, services: Services): Awaitable<void> {
  const { key } = context;
  if (context.route.operation?.isFree) return consumeFreely(context, services);
  return after(services.limiter.take(key), (decision) => {
    recordUse(services.activity, key, decision.now);
    if (decision.beginsBan) recordBan(services.activity, key, decision);
    enforce(context, decision);
  });
}

/** A refusal shows the window that refused, and what the key has left in its own two. */
function consumeFreely(context: AdmittedContext, { limiter, freeUses, activity }: Services): Awaitable<void> {
  const { key } = context;
  return after(limiter.status(key), (status) => {
    context.limitStatus = status;
    recordUse(activity, key, status.now);
    addLimitHeaders(context.headers, status);
    const decision = freeUses.take(key.id);
    if (decision.outcome === "allowed") return;
    addShownWindow(context.headers, decision);
    throw new PetstoreError("rate_limit_exceeded");
  });
}

/**
 * Refuses a request that was counted, as its key's limits do once they are used up. It takes nothing from them.
 * @throws `code`, always
 */
export function refuseByLimits(
  code: "rate_limit_exceeded" | "quota_exceeded" | "key_banned",
  { key, route, headers, decision, limitStatus }: AdmittedContext,
  { freeUses }: Pick<Services, "freeUses">,
): void {
  const quotas = decision ?? limitStatus;
  if (quotas === undefined) throw new Error("the request was not counted");
  removeLimitHeaders(headers);
  if (route.operation?.isFree && code === "rate_limit_exceeded") {
    const { now, windows, shown } = freeUses.quotas(key.id);
    addLimitHeaders(headers, quotas);
    addShownWindow(headers, { now, windows, shown: { ...shown, remaining: 0 }, outcome: code, beginsBan: false });
  } else {
    addLimitHeaders(headers, limitedAs(code, quotas, key.limits));
  }
  throw new PetstoreError(code);
}

/** Counts a request without a valid key, by client address. @throws rate_limit_exceeded */
export function consumeAnonymously(context: PublicContext, services: Services): void {
  enforce(context, services.addresses.take(addressOf(context, services)));
}

/** Adds the headers of the limit by client address, and counts nothing. */
export function showAddressLimit(context: PublicContext, services: Services): void {
  addLimitHeaders(context.headers, services.addresses.quotas(addressOf(context, services)));
}

function addressOf({ request, connection }: PublicContext, { trustedProxies }: Services): string {
  return clientAddress(connection.address(), request.headers.get("X-Forwarded-For"), trustedProxies);
}

function enforce(context: PublicContext, decision: Decision): void {
  context.decision = decision;
  addLimitHeaders(context.headers, decision);
  if (decision.outcome !== "allowed") throw new PetstoreError(decision.outcome);
}

/** Remembers the use in the key too: from a cache, the next request gets the same one. */
export function recordUse(activity: ActivityRecorder, key: RequestKey, now: number): void {
  if (now - key.lastUsedAt < LAST_USE_ACCURACY) return;
  key.lastUsedAt = now;
  activity.used(key.id, now);
}

/** During a ban, the quotas show its end. */
function recordBan(activity: ActivityRecorder, { id }: RequestKey, { now, shown }: Decision): void {
  activity.banned(id, { since: now, until: shown.resetAt * 1000 });
}
