import type { KeyStore } from "../../domain/keys/store.ts";

type Found = NonNullable<Awaited<ReturnType<KeyStore["findBySecret"]>>>;

/** How many keys in use are kept at hand. */
const MOST_AT_HAND = 10_000;

/**
 * Keys from a store that answers at once and tells of its changes. Exact, because they are dropped whenever its
 * revision differs, which is looked at for every request. Only keys that exist are kept.
 */
export class LocalKeyCache {
  readonly #find: (hash: string) => Found | undefined;
  readonly #revision: () => number;
  readonly #known = new Map<string, Found>();
  #knownRevision = -1;
  /** How many look-ups were answered from here, and how many by the store. */
  hits = 0;
  misses = 0;

  constructor(find: (hash: string) => Found | undefined, revision: () => number) {
    this.#find = find;
    this.#revision = revision;
  }

  /** @throws service_unavailable when it is not known, and the store cannot be read */
  find(hash: string): Found | undefined {
    const revision = this.#revision();
    if (revision !== this.#knownRevision || this.#known.size >= MOST_AT_HAND) {
      this.#known.clear();
      this.#knownRevision = revision;
    }
    const known = this.#known.get(hash);
    if (known !== undefined) {
      this.hits += 1;
      return known;
    }
    this.misses += 1;
    const found = this.#find(hash);
    if (found !== undefined) this.#known.set(hash, found);
    return found;
  }
}
