import ipaddr from "ipaddr.js";
import type { Deployment } from "../../../domain/deployment.ts";
import { PetstoreError } from "../../../domain/errors.ts";
import type { MinuteLimiter } from "../../../domain/limits/limiter.ts";
import { secondsUntil } from "../../../domain/limits/limits.ts";
import { operatorWithToken, SESSION_LENGTH, sessionWithSecret } from "../../../domain/operators.ts";
import { addressOf, isInRanges, type parseRanges } from "../client-address.ts";
import type { RequestContext } from "../request.ts";
import type { OperatorContext, OperatorServices } from "./operations/operation.ts";

/** Counts an attempt for `name`. @throws rate_limit_exceeded */
function consume(limiter: MinuteLimiter, name: string): void {
  const { outcome, shown, now } = limiter.take(name);
  if (outcome === "allowed") return;
  const message = "Too many attempts from this address. Wait for the seconds in Retry-After.";
  throw new PetstoreError("rate_limit_exceeded", { message, retryAfter: secondsUntil(shown.resetAt, now) });
}

/** Scripts cannot read it, requests from other sites do not carry it, and only the interface receives it. */
const ATTRIBUTES = "Path=/admin; HttpOnly; SameSite=Strict";

/** The cookie of a deployment's sessions. Browsers send cookies to all ports of a host: each deployment needs its own. */
export function cookieName(deployment: Deployment): string {
  return `petstore_session_${deployment}`;
}

/** The value of a cookie of the request (RFC 6265), or undefined when it has none. */
export function cookieIn({ request }: RequestContext, cookie: string): string | undefined {
  for (const pair of request.headers.get("Cookie")?.split(";") ?? []) {
    const [name, value] = pair.split("=", 2);
    if (name?.trim() === cookie && value !== undefined) return value.trim();
  }
  return undefined;
}

/** The header that keeps the secret of a new session in the browser. */
export function sessionCookie(
  { deployment, trustedProxies }: OperatorServices,
  context: RequestContext,
  secret: string,
): Record<string, string> {
  const value = `${cookieName(deployment)}=${secret}; Max-Age=${SESSION_LENGTH / 1000}; ${ATTRIBUTES}`;
  return { "Set-Cookie": forClient(value, context, trustedProxies) };
}

/** A cookie for TLS alone, if the client uses it. */
export function forClient(cookie: string, context: RequestContext, proxies: ReturnType<typeof parseRanges>): string {
  return isSecure(context, proxies) ? `${cookie}; Secure` : cookie;
}

export function clearedCookie(deployment: Deployment): Record<string, string> {
  return { "Set-Cookie": `${cookieName(deployment)}=; Max-Age=0; ${ATTRIBUTES}` };
}

const SAFE = ["GET", "HEAD", "OPTIONS"];

/**
 * Lets a browser send unsafe methods only from our own pages, by Sec-Fetch-Site or else by Origin.
 * @throws cross_site_request
 */
function requireSameSite(context: RequestContext, proxies: ReturnType<typeof parseRanges>): void {
  const { request } = context;
  if (SAFE.includes(request.method)) return;
  const site = request.headers.get("Sec-Fetch-Site");
  const isOwn = site === null ? request.headers.get("Origin") === originOf(context, proxies) : site === "same-origin";
  if (isOwn) return;
  const message = "A page of another site may not do this. Programs send a token in the header Authorization instead.";
  throw new PetstoreError("cross_site_request", { message });
}

/** The same for signing in, which programs do as well: a request with neither header passes. @throws cross_site_request */
export function refuseCrossSite(context: RequestContext, proxies: ReturnType<typeof parseRanges>): void {
  const { headers } = context.request;
  if (headers.has("Sec-Fetch-Site") || headers.has("Origin")) requireSameSite(context, proxies);
}

/** Whether a browser says that a page of another site sent the request. */
function isFromOtherSite({ request }: RequestContext): boolean {
  return ["cross-site", "same-site"].includes(request.headers.get("Sec-Fetch-Site") ?? "");
}

/** Whether the client uses TLS, as a trusted proxy says. */
function isSecure({ request, connection }: RequestContext, proxies: ReturnType<typeof parseRanges>): boolean {
  return request.headers.get("X-Forwarded-Proto") === "https" && isInRanges(connection.address(), proxies);
}

/** The origin of our own pages, by the name that the client uses. */
export function originOf(context: RequestContext, proxies: ReturnType<typeof parseRanges>): string {
  return `${isSecure(context, proxies) ? "https" : "http"}://${context.request.headers.get("Host") ?? ""}`;
}

const SCHEME = /^Bearer +/i;

/**
 * Authenticates an operator, by the token in the header Authorization or by the session in the cookie.
 * @throws missing_credentials, invalid_credentials, cross_site_request, rate_limit_exceeded
 */
export async function authenticate(context: RequestContext, services: OperatorServices): Promise<OperatorContext> {
  const { operators, clock, deployment, trustedProxies } = services;
  const { headers } = context.request;
  const authorization = headers.get("Authorization");
  if (authorization !== null) {
    const token = SCHEME.test(authorization) ? authorization.replace(SCHEME, "").trim() : "";
    const operator = await operatorWithToken(operators, token);
    if (operator === undefined) throw refusal(context, services, new PetstoreError("invalid_credentials"));
    return Object.assign(context, { operator, session: undefined });
  }
  const secret = cookieIn(context, cookieName(deployment));
  if (secret === undefined) throw refusal(context, services, new PetstoreError("missing_credentials"));
  const found = await sessionWithSecret(operators, secret, clock());
  if (found === undefined) {
    const error = new PetstoreError("invalid_credentials", { message: "This session has ended. Sign in again." });
    throw refusal(context, services, error, clearedCookie(deployment));
  }
  requireSameSite(context, trustedProxies);
  return Object.assign(context, found);
}

/** Counts a refused request, and adds the headers of its response. @throws rate_limit_exceeded */
function refusal(
  context: RequestContext,
  { anonymous, trustedProxies }: OperatorServices,
  error: PetstoreError,
  headers: Record<string, string> = {},
): PetstoreError {
  // Otherwise a page of another site could use up the limit of the operator who opens it.
  if (!isFromOtherSite(context)) consume(anonymous, addressOf(context, trustedProxies));
  challenge(context);
  Object.assign(context.headers, headers);
  return error;
}

/** Adds the header that every response with status 401 has (RFC 6750). */
function challenge({ headers }: RequestContext): void {
  headers["WWW-Authenticate"] = 'Bearer realm="petstore administration"';
}

/** `pets_oper_` and four random characters. */
const PREFIX_LENGTH = 14;

type Attempt<T> = { secret: string; check: (secret: string) => Promise<T | undefined>; message: string };

/**
 * Returns what `check` finds for the secret of a client that signs in.
 * @throws rate_limit_exceeded; invalid_credentials, with `message`, when nothing is found; what `check` throws
 */
export async function attempt<T>(
  services: OperatorServices,
  context: RequestContext,
  { secret, check, message }: Attempt<T>,
): Promise<T> {
  const found = await countedAttempt(services, context, secret.slice(0, PREFIX_LENGTH), () => check(secret));
  if (found !== undefined) return found;
  challenge(context);
  throw new PetstoreError("invalid_credentials", { message });
}

/**
 * Returns what `check` finds. Until then the attempt counts as failed for this kind of secret, so that attempts at once count
 * too; one that could not be checked is taken back. A failure is logged, with its details, unless there were many this minute.
 * @throws rate_limit_exceeded; what `check` throws
 */
export async function countedAttempt<T>(
  { audit, clock, signIns, anonymous, failureEntries, trustedProxies }: OperatorServices,
  context: RequestContext,
  kind: string,
  check: () => Promise<T | undefined>,
  details: () => object = () => ({}),
): Promise<T | undefined> {
  const address = addressOf(context, trustedProxies);
  const name = `${address} ${kind}`;
  consume(signIns, name);
  const found = await check().catch((cause) => {
    signIns.refund(name);
    throw cause;
  });
  if (found !== undefined) {
    signIns.forget(name);
    return found;
  }
  if (failureEntries.take("").outcome === "allowed") {
    const after = { address, ...details() };
    const entry = { operator: { name: "unknown" }, action: "session.fail", after } as const;
    await audit.append({ ...entry, at: clock(), requestId: context.requestId });
  }
  consume(anonymous, address);
  return undefined;
}

/** Orchestrators and load balancers call the probes by any name. They reveal nothing. */
const PROBES = ["/livez", "/readyz"];

/**
 * Refuses host names that are not in `hosts`. An attacker's name can resolve to this listener (DNS rebinding), and for a
 * browser his page is then the listener's own. Addresses and localhost cannot: they are allowed, and so is no Host. A name may
 * end in a dot, which stands for the root of the DNS.
 * @throws host_not_allowed
 */
export function refuseUnknownHost({ request, path }: RequestContext, hosts: string[]): void {
  const header = request.headers.get("Host") ?? "";
  const name = header
    .replace(/:\d*$/, "")
    .replace(/(?<=.)\.$/, "")
    .toLowerCase();
  if (name === "" || isLocal(name) || isAddress(name) || hosts.includes(name) || PROBES.includes(path)) return;
  const message = `This listener does not answer to the host ${JSON.stringify(name)}. If it is yours, add it to PETSTORE_ADMIN_HOSTS.`;
  throw new PetstoreError("host_not_allowed", { message });
}

function isLocal(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost");
}

function isAddress(name: string): boolean {
  const [, inBrackets] = /^\[(.+)\]$/.exec(name) ?? [];
  return inBrackets === undefined ? ipaddr.IPv4.isValid(name) : ipaddr.IPv6.isValid(inBrackets);
}
