import { type Awaitable, after, caught } from "../../domain/awaitable.ts";
import type { Clock } from "../../domain/clock.ts";
import type { Deployment } from "../../domain/deployment.ts";
import { PetstoreError } from "../../domain/errors.ts";
import { type FoundKey, refusalOf } from "../../domain/keys/key.ts";
import { formOf } from "../../domain/keys/secret.ts";
import type { FindKey } from "../../domain/keys/store.ts";
import { removeLimitHeaders } from "./limit-headers.ts";
import { consumeAnonymously, showAddressLimit } from "./limits.ts";
import type { PublicContext } from "./operations/operation.ts";

type Services = Parameters<typeof consumeAnonymously>[1] & {
  findKey: FindKey;
  /** Called once per request, before the first look-up: makes the stores' caches exact as of this moment. */
  refresh: () => void;
  deployment: Deployment;
  clock: Clock;
};

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
    const refusal = refusalOf(found.key, found.secret, services.clock());
    if (refusal !== undefined) throw new PetstoreError(refusal);
    return found;
  });
}

/** Refuses a request that was counted for its key, as one without a valid key is refused. @throws `code`, always */
export function refuseUnauthenticated(
  code: (ReturnType<typeof refusalOf> & string) | "missing_api_key" | "invalid_api_key",
  context: PublicContext,
  services: Parameters<typeof showAddressLimit>[1],
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

/** Why there is no key with this secret. */
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
