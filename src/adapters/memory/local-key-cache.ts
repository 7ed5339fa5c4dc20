import type { Deployment } from "../../domain/deployment.ts";
import type { FoundKey } from "../../domain/keys/key.ts";
import { formOf, hashOf } from "../../domain/keys/secret.ts";
import { LruMap } from "../../domain/lru-map.ts";

const MAX_KEYS = 200_000;

/**
 * Caches the keys of a store in this process by their secrets, so that none is hashed twice. Exact, because it forgets a key
 * that this process changes, and all keys when the revision changes, which another process's changes do and which is
 * checked for every request. Unknown keys are not cached.
 */
export class LocalKeyCache {
  readonly #deployment: Deployment;
  readonly #find: (hash: string) => FoundKey | undefined;
  readonly #revision: () => number;
  readonly #keys = new LruMap<FoundKey>(MAX_KEYS);
  #revisionOfKeys = -1;
  /** Look-ups that the cache answered, and those that the store answered. */
  hits = 0;
  misses = 0;

  constructor(deployment: Deployment, find: (hash: string) => FoundKey | undefined, revision: () => number) {
    this.#deployment = deployment;
    this.#find = find;
    this.#revision = revision;
  }

  /** @throws service_unavailable when the key is not cached and the store cannot be read */
  find(secret: string): FoundKey | undefined {
    const revision = this.#revision();
    if (revision !== this.#revisionOfKeys) {
      this.#keys.clear();
      this.#revisionOfKeys = revision;
    }
    const cached = this.#keys.get(secret);
    if (cached !== undefined) {
      this.hits += 1;
      return cached;
    }
    if (formOf(secret, this.#deployment) !== "genuine") return undefined;
    this.misses += 1;
    const found = this.#find(hashOf(secret));
    if (found !== undefined) this.#keys.set(secret, found);
    return found;
  }

  /** Drops a key, which this process has changed. */
  forget(keyId: string): void {
    this.#keys.deleteWhere(({ key }) => key.id === keyId);
  }
}
