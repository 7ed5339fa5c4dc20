import type { Deployment } from "../../domain/deployment.ts";
import { formOf, hashOf } from "../../domain/keys/secret.ts";
import { LruMap } from "../../domain/lru-map.ts";

/** The largest number of cached hashes: about 3 MB. Without its hash in the cache, a request takes 1 µs more. */
const MAX_HASHES = 10_000;
/** Longer headers are padded with spaces. They would fill the memory. */
const MAX_LENGTH = 64;

const SCHEME = /^Bearer(?: |$)/i;

/** The secret in an Authorization header; empty when there is none. */
export function secretIn(authorization: string): string {
  return SCHEME.test(authorization) ? authorization.slice("Bearer ".length).trim() : "";
}

/**
 * Computes the hashes of secrets, and caches them by the Authorization header that contains them. Exact, because a hash
 * depends on nothing else; whether its key is valid is looked up each time.
 */
export class SecretHashes {
  readonly #deployment: Deployment;
  readonly #hashes = new LruMap<string>(MAX_HASHES);

  constructor(deployment: Deployment) {
    this.#deployment = deployment;
  }

  /** Returns the hash of the secret in an Authorization header; undefined unless it can be a key of this deployment. */
  get(authorization: string): string | undefined {
    const known = this.#hashes.get(authorization);
    if (known !== undefined) return known;
    const secret = secretIn(authorization);
    if (formOf(secret, this.#deployment) !== "genuine") return undefined;
    const hash = hashOf(secret);
    if (authorization.length <= MAX_LENGTH) this.#hashes.set(authorization, hash);
    return hash;
  }
}
