import type { Clock } from "../../../domain/clock.ts";
import { PetstoreError } from "../../../domain/errors.ts";
import { secondsUntil } from "../../../domain/limits/window.ts";
import { operatorWithToken, sessionWithSecret } from "../../../domain/operators/administration.ts";
import type { Operator } from "../../../domain/operators/operator.ts";
import type { OperatorStore } from "../../../domain/operators/store.ts";
import { clientAddress, type parseRanges } from "../client-address.ts";
import type { AnonymousLimiter } from "../limits.ts";
import type { RequestContext } from "../request-context.ts";
import { clearedCookie, secretInCookie } from "./cookie.ts";
import { requireSameSite } from "./cross-site.ts";
import type { Operated } from "./request-context.ts";

type Parts = {
  operators: OperatorStore;
  clock: Clock;
  trustedProxies: ReturnType<typeof parseRanges>;
  /** Counts attempts to sign in, and requests that fail for their credentials, by client address. */
  signIns: AnonymousLimiter;
  anonymous: AnonymousLimiter;
};

const SCHEME = /^Bearer +/i;
const REALM = { "WWW-Authenticate": 'Bearer realm="petstore administration"' };

/** Who may come in under /admin/v1: whoever sends an operator's token, or the cookie of a session. */
export class Authentication {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @throws missing_credentials, invalid_credentials, cross_site_request; rate_limit_exceeded where those went on and on */
  async admit(context: RequestContext): Promise<Operated> {
    const found = await this.#identify(context);
    if (!(found instanceof PetstoreError)) return Object.assign(context, found);
    this.#count(this.#parts.anonymous, context);
    Object.assign(context.headers, REALM, context.request.headers.has("Authorization") ? {} : overCookieOf(found));
    throw found;
  }

  /** The operator whose token somebody signs in with. @throws invalid_credentials */
  async operatorSigningIn(context: RequestContext, token: string): Promise<Operator> {
    const operator = await operatorWithToken(this.#parts.operators, token.trim());
    if (operator !== undefined) return operator;
    Object.assign(context.headers, REALM);
    throw new PetstoreError("invalid_credentials", {
      message: "This token does not exist, or its operator was revoked.",
    });
  }

  /** Counts an attempt to sign in, whatever comes of it. @throws rate_limit_exceeded */
  countSignIn(context: RequestContext): void {
    this.#count(this.#parts.signIns, context);
  }

  async #identify(context: RequestContext): Promise<Pick<Operated, "operator" | "session"> | PetstoreError> {
    const { operators, clock } = this.#parts;
    const { headers } = context.request;
    const authorization = headers.get("Authorization");
    if (authorization !== null) {
      const token = SCHEME.test(authorization) ? authorization.replace(SCHEME, "").trim() : "";
      const operator = await operatorWithToken(operators, token);
      return operator === undefined ? new PetstoreError("invalid_credentials") : { operator, session: undefined };
    }
    const secret = secretInCookie(headers.get("Cookie"));
    if (secret === undefined) return new PetstoreError("missing_credentials");
    const found = await sessionWithSecret(operators, secret, clock());
    if (found === undefined)
      return new PetstoreError("invalid_credentials", { message: "This session is over. Sign in again." });
    requireSameSite(context, this.#parts.trustedProxies);
    return found;
  }

  #count(limiter: AnonymousLimiter, { request, peer }: RequestContext): void {
    const address = clientAddress(peer(), request.headers.get("X-Forwarded-For"), this.#parts.trustedProxies);
    const { outcome, shown, now } = limiter.take(address);
    if (outcome === "allowed") return;
    const message = "Too many attempts from this address. Wait for the seconds in Retry-After.";
    throw new PetstoreError("rate_limit_exceeded", { message, retryAfter: secondsUntil(shown.resetAt, now) });
  }
}

/** The cookie of a session that is over is cleared. */
function overCookieOf({ code }: PetstoreError): Record<string, string> {
  return code === "invalid_credentials" ? clearedCookie() : {};
}
