import type { Clock } from "../../../domain/clock.ts";
import { PetstoreError } from "../../../domain/errors.ts";
import { secondsUntil } from "../../../domain/limits/window.ts";
import { operatorWithToken, sessionWithSecret } from "../../../domain/operators/administration.ts";
import type { Operator } from "../../../domain/operators/operator.ts";
import type { OperatorStore } from "../../../domain/operators/store.ts";
import type { StrangerLimiter } from "../admission.ts";
import { clientAddress, type parseRanges } from "../client-address.ts";
import type { Exchange } from "../exchange.ts";
import { clearedCookie, secretInCookie } from "./cookie.ts";
import { requireSameSite } from "./cross-site.ts";
import type { Operated } from "./exchange.ts";

type Parts = {
  operators: OperatorStore;
  clock: Clock;
  trustedProxies: ReturnType<typeof parseRanges>;
  /** Counts attempts to sign in, and requests that fail for their credentials, by client address. */
  signIns: StrangerLimiter;
  strangers: StrangerLimiter;
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
  async admit(exchange: Exchange): Promise<Operated> {
    const found = await this.#identify(exchange);
    if (!(found instanceof PetstoreError)) return Object.assign(exchange, found);
    this.#count(this.#parts.strangers, exchange);
    throw found;
  }

  /** The operator whose token somebody signs in with. @throws invalid_credentials */
  async operatorSigningIn(token: string): Promise<Operator> {
    const operator = await operatorWithToken(this.#parts.operators, token.trim());
    if (operator === undefined) throw invalid("This token does not exist, or its operator was revoked.");
    return operator;
  }

  /** Counts an attempt to sign in, whatever comes of it. @throws rate_limit_exceeded */
  countSignIn(exchange: Exchange): void {
    this.#count(this.#parts.signIns, exchange);
  }

  async #identify(exchange: Exchange): Promise<Pick<Operated, "operator" | "session"> | PetstoreError> {
    const { operators, clock } = this.#parts;
    const { headers } = exchange.request;
    const authorization = headers.get("Authorization");
    if (authorization !== null) {
      const token = SCHEME.test(authorization) ? authorization.replace(SCHEME, "").trim() : "";
      const operator = await operatorWithToken(operators, token);
      return operator === undefined
        ? invalid("This is not the token of an operator.")
        : { operator, session: undefined };
    }
    const secret = secretInCookie(headers.get("Cookie"));
    if (secret === undefined) return missing();
    const found = await sessionWithSecret(operators, secret, clock());
    if (found === undefined) return invalid("This session is over. Sign in again.", clearedCookie());
    requireSameSite(exchange, this.#parts.trustedProxies);
    return found;
  }

  #count(limiter: StrangerLimiter, { request, peer }: Exchange): void {
    const address = clientAddress(peer(), request.headers.get("X-Forwarded-For"), this.#parts.trustedProxies);
    const { outcome, shown, now } = limiter.take(address);
    if (outcome === "allowed") return;
    const seconds = String(secondsUntil(shown.resetAt, now));
    const message = "Too many attempts from this address. Wait for the seconds in Retry-After.";
    throw new PetstoreError("rate_limit_exceeded", message, { headers: { "Retry-After": seconds } });
  }
}

function missing(): PetstoreError {
  const message = "Sign in, or send an operator's token in the header Authorization: Bearer <TOKEN>.";
  return new PetstoreError("missing_credentials", message, { headers: REALM });
}

function invalid(message: string, headers: Record<string, string> = {}): PetstoreError {
  return new PetstoreError("invalid_credentials", message, { headers: { ...REALM, ...headers } });
}
