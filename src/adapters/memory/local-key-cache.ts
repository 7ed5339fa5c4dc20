import type { KeyStore } from "../../domain/keys/store.ts";
import { LruMap } from "../../domain/lru-map.ts";

type Found = NonNullable<Awaited<ReturnType<KeyStore["findBySecret"]>>>;

const MAX_KEYS = 200_000;

/**
 * Caches the keys of a store in this process. Exact, because it forgets a key that this process changes, and all keys when
 * the revision changes, which another process's changes do and which is checked for every request. Unknown keys are not cached.
 */
export class LocalKeyCache {
  readonly #find: (hash: string) => Found | undefined;
  readonly #revision: () => number;
  readonly #keys = new LruMap<Found>(MAX_KEYS);
  #revisionOfKeys = -1;
  /** Look-ups that the cache answered, and those that the store answered. */
  hits = 0;
  misses = 0;

  constructor(find: (hash: string) => Found | undefined, revision: () => number) {
    this.#find = find;
    this.#revision = revision;
  }

  /** @throws service_unavailable when the key is not cached and the store cannot be read */
  find(hash: string): Found | undefined {
    const revision = this.#revision();
    if (revision !== this.#revisionOfKeys) {
      this.#keys.clear();
      this.#revisionOfKeys = revision;
    }
    const cached = this.#keys.get(hash);
    if (cached !== undefined) {
      this.hits += 1;
      return cached;
    }
    this.misses += 1;
    const found = this.#find(hash);
    if (found !== undefined) this.#keys.set(hash, found);
    return found;
  }

  /** Drops a key, which this process has changed. */
  forget(keyId: string): void {
    this.#keys.deleteWhere(({ key }) => key.id === keyId);
  }
}
