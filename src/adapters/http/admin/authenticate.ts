import type { Clock } from "../../../domain/clock.ts";
import type { Deployment } from "../../../domain/deployment.ts";
import { PetstoreError } from "../../../domain/errors.ts";
import type { MinuteLimiter } from "../../../domain/limits/limiter.ts";
import { operatorWithToken, sessionWithSecret } from "../../../domain/operators/administration.ts";
import type { OperatorStore } from "../../../domain/operators/store.ts";
import type { parseRanges } from "../client-address.ts";
import type { RequestContext } from "../request-context.ts";
import { addressOf, consume } from "./attempts.ts";
import { clearedCookie, secretInCookie } from "./cookie.ts";
import { isFromOtherSite, requireSameSite } from "./cross-site.ts";
import type { OperatorContext } from "./request-context.ts";

type Parts = {
  operators: OperatorStore;
  clock: Clock;
  deployment: Deployment;
  trustedProxies: ReturnType<typeof parseRanges>;
  /** Limits requests without valid credentials by client address. */
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
    const { operators, clock, deployment, trustedProxies } = this.#parts;
    const { headers } = context.request;
    const authorization = headers.get("Authorization");
    if (authorization !== null) {
      const token = SCHEME.test(authorization) ? authorization.replace(SCHEME, "").trim() : "";
      const operator = await operatorWithToken(operators, token);
      if (operator === undefined) return this.#refuse(context, new PetstoreError("invalid_credentials"));
      return Object.assign(context, { operator, session: undefined });
    }
    const secret = secretInCookie(headers.get("Cookie"), deployment);
    if (secret === undefined) return this.#refuse(context, new PetstoreError("missing_credentials"));
    const found = await sessionWithSecret(operators, secret, clock());
    if (found === undefined) {
      const error = new PetstoreError("invalid_credentials", { message: "This session has ended. Sign in again." });
      return this.#refuse(context, error, clearedCookie(deployment));
    }
    requireSameSite(context, trustedProxies);
    return Object.assign(context, found);
  }

  #refuse(context: RequestContext, error: PetstoreError, headers: Record<string, string> = {}): never {
    const { anonymous, trustedProxies } = this.#parts;
    // Otherwise a page of another site could use up the limit of the operator who opens it.
    if (!isFromOtherSite(context)) consume(anonymous, addressOf(context, trustedProxies));
    challenge(context);
    Object.assign(context.headers, headers);
    throw error;
  }
}

/** Adds the header that every response with status 401 has (RFC 6750). */
export function challenge({ headers }: RequestContext): void {
  headers["WWW-Authenticate"] = 'Bearer realm="petstore administration"';
}
