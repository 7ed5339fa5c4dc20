import type { Clock } from "../../../domain/clock.ts";
import { PetstoreError } from "../../../domain/errors.ts";
import type { MinuteLimiter } from "../../../domain/limits/limiter.ts";
import { secondsUntil } from "../../../domain/limits/window.ts";
import { operatorWithToken, sessionWithSecret } from "../../../domain/operators/administration.ts";
import type { OperatorStore } from "../../../domain/operators/store.ts";
import { clientAddress, type parseRanges } from "../client-address.ts";
import type { RequestContext } from "../request-context.ts";
import { clearedCookie, secretInCookie } from "./cookie.ts";
import { requireSameSite } from "./cross-site.ts";
import type { OperatorContext } from "./request-context.ts";

type Parts = {
  operators: OperatorStore;
  clock: Clock;
  trustedProxies: ReturnType<typeof parseRanges>;
  /** Limit attempts to sign in, and requests without valid credentials, by client address. */
  signIns: MinuteLimiter;
  anonymous: MinuteLimiter;
};

const SCHEME = /^Bearer +/i;

/** Authenticates operators, by the token in the header Authorization or by the session in the cookie. */
export class Authentication {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @throws missing_credentials, invalid_credentials, cross_site_request, rate_limit_exceeded */
  async authenticate(context: RequestContext): Promise<OperatorContext> {
    const { operators, clock, trustedProxies } = this.#parts;
    const { headers } = context.request;
    const authorization = headers.get("Authorization");
    if (authorization !== null) {
      const token = SCHEME.test(authorization) ? authorization.replace(SCHEME, "").trim() : "";
      const operator = await operatorWithToken(operators, token);
      if (operator === undefined) return this.#refuse(context, new PetstoreError("invalid_credentials"));
      return Object.assign(context, { operator, session: undefined });
    }
    const secret = secretInCookie(headers.get("Cookie"));
    if (secret === undefined) return this.#refuse(context, new PetstoreError("missing_credentials"));
    const found = await sessionWithSecret(operators, secret, clock());
    if (found === undefined) {
      const error = new PetstoreError("invalid_credentials", { message: "This session has ended. Sign in again." });
      return this.#refuse(context, error, clearedCookie());
    }
    requireSameSite(context, trustedProxies);
    return Object.assign(context, found);
  }

  /** Counts an attempt to sign in, successful or not. @throws rate_limit_exceeded */
  countSignIn(context: RequestContext): void {
    this.#count(this.#parts.signIns, context);
  }

  #refuse(context: RequestContext, error: PetstoreError, headers: Record<string, string> = {}): never {
    this.#count(this.#parts.anonymous, context);
    challenge(context);
    Object.assign(context.headers, headers);
    throw error;
  }

  #count(limiter: MinuteLimiter, { request, peer }: RequestContext): void {
    const address = clientAddress(peer(), request.headers.get("X-Forwarded-For"), this.#parts.trustedProxies);
    const { outcome, shown, now } = limiter.take(address);
    if (outcome === "allowed") return;
    const message = "Too many attempts from this address. Wait for the seconds in Retry-After.";
    throw new PetstoreError("rate_limit_exceeded", { message, retryAfter: secondsUntil(shown.resetAt, now) });
  }
}

/** Adds the header that every response with status 401 has (RFC 6750). */
export function challenge({ headers }: RequestContext): void {
  headers["WWW-Authenticate"] = 'Bearer realm="petstore administration"';
}
