import type { Awaitable } from "../../domain/awaitable.ts";
import type { Clock } from "../../domain/clock.ts";
import type { Deployment } from "../../domain/deployment.ts";
import { PetstoreError } from "../../domain/errors.ts";
import { type Key, refusalOf } from "../../domain/keys/key.ts";
import { formOf, hashOf } from "../../domain/keys/secret.ts";
import type { KeyStore } from "../../domain/keys/store.ts";

/** The key that a request was sent with, or the 401 that it gets. */
export type Authenticate = (authorization: string | null) => Awaitable<Key | PetstoreError>;

const SCHEME = /^Bearer(?: |$)/i;
const REALM = 'Bearer realm="petstore"';

/** What a refused request is challenged with (RFC 6750): the error is named only where a key was sent. */
export function challengeOf({ code }: PetstoreError): string {
  return code === "missing_api_key" ? REALM : `${REALM}, error="invalid_token"`;
}

/** docs/authentication.md: HTTP bearer, on every operation (RFC 6750). */
export function authenticator(
  findBySecret: KeyStore["findBySecret"],
  deployment: Deployment,
  clock: Clock,
): Authenticate {
  const judge = (found: Awaited<ReturnType<KeyStore["findBySecret"]>>): Key | PetstoreError => {
    if (found === undefined) return new PetstoreError("invalid_api_key");
    const refusal = refusalOf(found.key, found.secret, clock());
    return refusal === undefined ? found.key : new PetstoreError(refusal);
  };
  return (authorization) => {
    const secret = SCHEME.test(authorization ?? "") ? authorization?.slice("Bearer ".length).trim() : undefined;
    if (!secret) return new PetstoreError("missing_api_key");
    const form = formOf(secret, deployment);
    if (form === "malformed") {
      const message = "This is not an API key of this service: its form or its checksum is wrong. Was it copied whole?";
      return new PetstoreError("invalid_api_key", { message });
    }
    if (form === "other deployment") {
      const message = `This API key belongs to another deployment; this one is ${deployment}.`;
      return new PetstoreError("invalid_api_key", { message });
    }
    const found = findBySecret(hashOf(secret));
    return found instanceof Promise ? found.then(judge) : judge(found);
  };
}
