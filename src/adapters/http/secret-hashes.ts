import { LruMap } from "../../domain/lru-map.ts";

/** The largest number of cached hashes: about 3 MB. */
const MAX_HASHES = 10_000;
/** Longer headers are padded with spaces. They would fill the memory. */
const MAX_LENGTH = 64;

/**
 * Caches the hashes of secrets by the Authorization header that contains them. Exact, because a hash depends on nothing
 * else; whether its key is valid is looked up each time.
 */
export class SecretHashes {
  readonly #hashes = new LruMap<string>(MAX_HASHES);

  get(authorization: string): string | undefined {
    return this.#hashes.get(authorization);
  }

  /** Adds the hash of a secret that belongs to a key: guessed ones would displace those in use. */
  add(authorization: string, hash: string): void {
    if (authorization.length <= MAX_LENGTH) this.#hashes.set(authorization, hash);
  }
}
