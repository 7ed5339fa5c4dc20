import type { KeyStore } from "../../domain/keys/store.ts";

type Found = NonNullable<Awaited<ReturnType<KeyStore["findBySecret"]>>>;

const MAX_KEYS = 10_000;

/**
 * Keys of a store in this process. Exact, because all are dropped when the store's revision differs, which is checked
 * for every request. Only keys that exist are kept.
 */
export class LocalKeyCache {
  readonly #find: (hash: string) => Found | undefined;
  readonly #revision: () => number;
  readonly #keys = new Map<string, Found>();
  #revisionOfKeys = -1;
  /** How many look-ups were answered from here, and how many by the store. */
  hits = 0;
  misses = 0;

  constructor(find: (hash: string) => Found | undefined, revision: () => number) {
    this.#find = find;
    this.#revision = revision;
  }

  /** @throws service_unavailable when it is not cached, and the store cannot be read */
  find(hash: string): Found | undefined {
    const revision = this.#revision();
    if (revision !== this.#revisionOfKeys || this.#keys.size >= MAX_KEYS) {
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
}
