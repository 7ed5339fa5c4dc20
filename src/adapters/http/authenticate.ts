import type { Awaitable } from "../../domain/awaitable.ts";
import type { Clock } from "../../domain/clock.ts";
import type { Deployment } from "../../domain/deployment.ts";
import { type ErrorCode, PetstoreError } from "../../domain/errors.ts";
import { type Key, refusalOf } from "../../domain/keys/key.ts";
import { formOf, hashOf } from "../../domain/keys/secret.ts";
import type { KeyStore } from "../../domain/keys/store.ts";

/** The key that a request was sent with, or the 401 that it gets. */
export type Authenticate = (authorization: string | null) => Awaitable<Key | PetstoreError>;

const SCHEME = /^Bearer(?: |$)/i;
const REALM = 'Bearer realm="petstore"';

const missing = new PetstoreError(
  "missing_api_key",
  "This needs an API key. Send it in the header Authorization: Bearer <API_KEY>.",
  { headers: { "WWW-Authenticate": REALM } },
);

/** docs/authentication.md: HTTP bearer, on every operation (RFC 6750). */
export function authenticator(
  findBySecret: KeyStore["findBySecret"],
  deployment: Deployment,
  clock: Clock,
): Authenticate {
  const judge = (found: Awaited<ReturnType<KeyStore["findBySecret"]>>): Key | PetstoreError => {
    if (found === undefined) return invalid("invalid_api_key", "This API key does not exist.");
    const refusal = refusalOf(found.key, found.secret, clock());
    if (refusal === "revoked_api_key") return invalid(refusal, "This API key was revoked. Ask for a new one.");
    if (refusal === "expired_api_key")
      return invalid(refusal, "This API key has expired. Use its successor, or ask for a new one.");
    return found.key;
  };
  return (authorization) => {
    const secret = SCHEME.test(authorization ?? "") ? authorization?.slice("Bearer ".length).trim() : undefined;
    if (!secret) return missing;
    const form = formOf(secret, deployment);
    if (form === "malformed") {
      return invalid(
        "invalid_api_key",
        "This is not an API key of this service: its form or its checksum is wrong. Was it copied whole?",
      );
    }
    if (form === "other deployment") {
      return invalid("invalid_api_key", `This API key belongs to another deployment; this one is ${deployment}.`);
    }
    const found = findBySecret(hashOf(secret));
    return found instanceof Promise ? found.then(judge) : judge(found);
  };
}

function invalid(code: ErrorCode, message: string): PetstoreError {
  return new PetstoreError(code, message, { headers: { "WWW-Authenticate": `${REALM}, error="invalid_token"` } });
}
