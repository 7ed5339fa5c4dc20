import { type Awaitable, after, caught } from "../../domain/awaitable.ts";
import { type Deployment, rootOf } from "../../domain/deployment.ts";
import { PetstoreError } from "../../domain/errors.ts";
import { MAX_ROTATIONS } from "../../domain/keys/administration.ts";
import { type FoundKey, type RequestKey, type Scope, secretRefusal } from "../../domain/keys/key.ts";
import { formOf } from "../../domain/keys/secret.ts";
import { type ActivityRecorder, userAgentOf } from "../../domain/keys/store.ts";
import { type Decision, type Quotas, secondsUntil, type WindowQuota } from "../../domain/limits/limits.ts";
import { limitedAs } from "../../domain/simulation.ts";
import { addressOf } from "./client-address.ts";
import type { AdmittedContext, PublicContext, PublicOperation, Services } from "./operation.ts";
import type { RequestContext } from "./request.ts";

/** The largest number of kept policies: each key may have limits of its own. */
const MOST_POLICIES = 1_000;

/**
 * Adds the limit headers: the tighter window in `X-RateLimit-*` (docs/limits.md), both windows in `RateLimit-Policy` and
 * `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10), and `Retry-After` when the request is refused. Seconds are rounded
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

export function removeLimitHeaders(headers: Record<string, string>): void {
  for (const name of ["Limit", "Remaining", "Reset"]) delete headers[`X-RateLimit-${name}`];
  for (const name of ["Retry-After", "RateLimit-Policy", "RateLimit"]) delete headers[name];
}

/** Adds the plain headers alone. */
function addShownWindow(headers: Record<string, string>, limits: Decision | Quotas): void {
  const { now, shown } = limits;
  headers["X-RateLimit-Limit"] = String(shown.limit);
  headers["X-RateLimit-Remaining"] = String(shown.remaining);
  headers["X-RateLimit-Reset"] = String(shown.resetAt);
  if ("outcome" in limits && limits.outcome !== "allowed")
    headers["Retry-After"] = String(limits.retryAfter ?? secondsUntil(shown.resetAt, now));
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

/** lastUsedAt is accurate to this many milliseconds. */
const LAST_USE_ACCURACY = 60_000;

/**
 * Counts a request in its key's windows, and adds the limit headers. A free operation counts in a window of its own alone:
 * it also works when no requests remain, and during a ban. With `cost` 0 it is only refused if its key has no requests left.
 * @throws rate_limit_exceeded, quota_exceeded, key_banned
 */
export function consume(context: AdmittedContext, services: Services, cost?: 0): Awaitable<void> {
  const { key } = context;
  if (context.route.operation?.isFree) return consumeFreely(context, services);
  return after(cost === 0 ? services.limiter.take(key, cost) : take(context, services), (decision) => {
    recordUse(services.activity, key, decision.now);
    if (decision.beginsBan) recordBan(services.activity, key, decision);
    enforce(context, decision);
  });
}

/** The content by which a request counts as several is read once the limits allow any: of others nothing is parsed. */
function take(context: AdmittedContext, { limiter }: Services): Awaitable<Decision> {
  const { key, route } = context;
  const { costOf, scope } = route.operation ?? {};
  if (costOf === undefined || (scope !== undefined && !key.scopes.includes(scope))) return limiter.take(key);
  return after(limiter.take(key, 0), (decision) => {
    if (decision.outcome !== "allowed") return decision;
    context.cost = costOf(context);
    return limiter.take(key, context.cost);
  });
}

/** A refusal shows the window that refused, and what the key has left in its own two. @throws rate_limit_exceeded */
export function consumeFreely(context: AdmittedContext, { limiter, freeUses, activity }: Services): Awaitable<void> {
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
  { freeUses }: Services,
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

/**
 * Refuses a rotation by its key, which the store decides: with the headers that the same refusal has in the checks.
 * @throws `error`, always
 */
export function refuseRotation(error: unknown, context: AdmittedContext, services: Services): never {
  if (!(error instanceof PetstoreError)) throw error;
  const { headers } = context;
  const { code, retryAfter = 0 } = error;
  if (error.kind === "unauthenticated") {
    showAddressLimit(context, services);
    headers["WWW-Authenticate"] = challengeOf(error);
  }
  if (code === "insufficient_scope") headers["WWW-Authenticate"] = scopeChallenge("key:rotate");
  if (code === "rate_limit_exceeded") {
    headers["X-RateLimit-Limit"] = String(MAX_ROTATIONS);
    headers["X-RateLimit-Remaining"] = "0";
    headers["X-RateLimit-Reset"] = String(Math.ceil(services.clock() / 1000) + retryAfter);
  }
  throw error;
}

/** Counts a request without a valid key, by client address. @throws rate_limit_exceeded */
function consumeAnonymously(context: PublicContext, services: Services): void {
  enforce(context, services.addresses.take(addressOf(context, services.trustedProxies)));
}

/** Adds the headers of the limit by client address, and counts nothing. */
export function showAddressLimit(context: PublicContext, services: Services): void {
  addLimitHeaders(context.headers, services.addresses.quotas(addressOf(context, services.trustedProxies)));
}

function enforce(context: PublicContext, decision: Decision): void {
  context.decision = decision;
  addLimitHeaders(context.headers, decision);
  const { outcome, shown } = decision;
  if (outcome === "allowed") return;
  const { cost = 1 } = context;
  delete context.cost;
  if (cost === 1 || outcome === "key_banned") throw new PetstoreError(outcome);
  const message = `This request counts as ${cost} requests, and ${shown.remaining} remain. Wait for the seconds in Retry-After.`;
  throw new PetstoreError(outcome, { message });
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

/** The challenge of 401 and 403, to which parameters are added. */
export const CHALLENGE = 'Bearer realm="petstore"';

const SCHEME = /^Bearer(?: |$)/i;
/** Longer headers are padded with spaces, if they have a key. */
const MAX_LENGTH = 64;

/**
 * Returns the key of a request. Without a valid key the request counts towards the limit of the client's address; one
 * whose key cannot be looked up counts towards no limit.
 * @throws rate_limit_exceeded, and the errors of `keyIn`
 */
export function authenticate(context: PublicContext, services: Services): Awaitable<FoundKey> {
  return caught(
    () => {
      services.refresh();
      return keyIn(context.request.headers.get("Authorization"), services);
    },
    (error) => {
      if (error instanceof PetstoreError && error.kind === "unauthenticated") {
        consumeAnonymously(context, services);
        context.headers["WWW-Authenticate"] = challengeOf(error);
      } else {
        showAddressLimit(context, services);
      }
      throw error;
    },
  );
}

/**
 * Returns the key in an Authorization header (docs/authentication.md; RFC 6750).
 * @throws missing_api_key, invalid_api_key, expired_api_key, revoked_api_key, service_unavailable
 */
function keyIn(authorization: string | null, services: Services): Awaitable<FoundKey> {
  if (authorization === null) throw new PetstoreError("missing_api_key");
  const secret = secretIn(authorization);
  return after(services.findKey(secret), (found) => {
    if (found === undefined) throw unknownSecret(secret, services.deployment);
    const refusal = secretRefusal(found.key, found.secret, services.clock());
    if (refusal !== undefined) throw new PetstoreError(refusal);
    return found;
  });
}

/** Refuses a request that was counted for its key, as one without a valid key is refused. @throws `code`, always */
export function refuseUnauthenticated(
  code: (ReturnType<typeof secretRefusal> & string) | "missing_api_key" | "invalid_api_key",
  context: PublicContext,
  services: Services,
): void {
  const error = new PetstoreError(code);
  removeLimitHeaders(context.headers);
  showAddressLimit(context, services);
  context.headers["WWW-Authenticate"] = challengeOf(error);
  throw error;
}

/** The challenge of a 401. It names an error only if a key was sent. */
function challengeOf({ code }: PetstoreError): string {
  return code === "missing_api_key" ? CHALLENGE : `${CHALLENGE}, error="invalid_token"`;
}

/** The secret in an Authorization header; empty when there is none. */
export function secretIn(authorization: string): string {
  if (!SCHEME.test(authorization)) return "";
  const secret = authorization.slice("Bearer ".length).trim();
  // A part of a string keeps all of it in memory, and a cached key keeps its secret.
  return authorization.length <= MAX_LENGTH ? secret : Buffer.from(secret).toString();
}

function unknownSecret(secret: string, deployment: Deployment): PetstoreError {
  if (secret === "") return new PetstoreError("missing_api_key");
  const form = formOf(secret, deployment);
  if (form === "genuine") return new PetstoreError("invalid_api_key");
  const message =
    form === "other deployment"
      ? `This API key belongs to another deployment; this one is ${deployment}.`
      : "This is not an API key of this service: its form or its checksum is wrong. Check that you copied the whole key.";
  return new PetstoreError("invalid_api_key", { message });
}

/** @throws insufficient_scope unless the key has the scope that the operation needs, which the challenge names (RFC 6750, 3.1) */
export function requireScope({ scope }: PublicOperation, { key, headers }: AdmittedContext): void {
  if (scope === undefined || key.scopes.includes(scope)) return;
  headers["WWW-Authenticate"] = scopeChallenge(scope);
  throw new PetstoreError("insufficient_scope", { message: lacksScope(scope) });
}

function scopeChallenge(scope: Scope): string {
  return `${CHALLENGE}, error="insufficient_scope", scope="${scope}"`;
}

export function lacksScope(scope: Scope): string {
  return `This API key lacks the scope ${scope}. Ask for a key that has it.`;
}

/** Where clients of the public interface find its paths. */
export const PATHS_HINT = "See /docs for the paths.";

/** Returns the operation of a request. @throws not_found; method_not_allowed, with the methods of the path */
export function requireOperation<O>(context: RequestContext<O>, hint: string): O {
  const { operation, allowed, meant } = context.route;
  if (operation !== undefined) return operation;
  if (meant !== undefined) {
    const message = `This path does not exist: it ends in a slash. Use ${meant} without it.`;
    throw new PetstoreError("not_found", { message });
  }
  throw routeError(context, allowed, hint);
}

/** 405 if the path has other methods (RFC 9110, 15.5.6), otherwise 404. */
export function routeError(
  { headers }: RequestContext<unknown>,
  allowed: readonly string[],
  hint: string,
): PetstoreError {
  if (allowed.length === 0) {
    return new PetstoreError("not_found", { message: `This path does not exist. ${hint}` });
  }
  headers.Allow = allowed.join(", ");
  return new PetstoreError("method_not_allowed", { message: `This path answers ${headers.Allow}.` });
}

/** Adds the deprecation headers of a deprecated operation, with its successor. Error responses have them as well. */
export function addDeprecationHeaders({ route, headers }: PublicContext, { baseUrl }: Services): void {
  const deprecated = route.operation?.deprecated;
  if (deprecated === undefined) return;
  const successor = `<${baseUrl}${deprecated.successor(route.params)}>; rel="successor-version"`;
  Object.assign(headers, deprecated.headers);
  headers.Link = `${successor}, <${rootOf(baseUrl)}/docs/deprecation>; rel="deprecation"; type="text/html"`;
}

/** Counts the key's call of a deprecated operation, unless it is a rehearsal. @throws operation_removed, with the successor, after the removal */
export function requireNotRemoved(
  operation: PublicOperation,
  { key, request, route, simulation }: AdmittedContext,
  { baseUrl, clock, activity }: Services,
): void {
  const { id, deprecated } = operation;
  if (deprecated === undefined) return;
  const now = simulation?.now ?? clock();
  if (simulation === undefined) {
    activity.calledDeprecated(id, key.id, now, userAgentOf(request.headers.get("User-Agent")));
  }
  if (now >= deprecated.removedAt) throw removed(operation, route.params, baseUrl);
}

export function removed(
  { method, deprecated }: PublicOperation,
  params: Record<string, string>,
  baseUrl: string,
): PetstoreError {
  if (deprecated === undefined) return new PetstoreError("operation_removed");
  const successor = `${method.toUpperCase()} ${baseUrl}${deprecated.successor(params)}`;
  const message = `This operation was removed on ${dateOf(deprecated.removedAt)}. Use ${successor} instead.`;
  return new PetstoreError("operation_removed", { message });
}

/** Formats a time (Unix ms) as a date in UTC: 5 December 2030. */
function dateOf(moment: number): string {
  return new Date(moment).toLocaleDateString("en-GB", {
    day: "numeric",
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
}
