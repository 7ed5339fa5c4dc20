/**
 * A map of at most `max` entries that drops those that were not used lately. It has two generations: when the newer one
 * holds half of `max`, it becomes the older one, in place of entries that were not used since the last time. Deleting a
 * Map's oldest entry instead takes 15 µs, because the engine steps over all entries deleted before.
 */
export class LruMap<V> {
  readonly #half: number;
  #newer = new Map<string, V>();
  #older = new Map<string, V>();

  constructor(max: number) {
    this.#half = max / 2;
  }

  get(key: string): V | undefined {
    const value = this.#newer.get(key);
    if (value !== undefined) return value;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: string, value: V): void {
    if (this.#newer.size >= this.#half) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(key, value);
    // Otherwise an earlier value would come back once this one is deleted.
    this.#older.delete(key);
  }

  delete(key: string): void {
    this.#newer.delete(key);
    this.#older.delete(key);
  }

  deleteWhere(matches: (value: V) => boolean): void {
    for (const generation of [this.#newer, this.#older]) {
      for (const [key, value] of generation) if (matches(value)) generation.delete(key);
    }
  }

  *[Symbol.iterator](): Generator<[key: string, V]> {
    for (const generation of [this.#newer, this.#older]) yield* generation;
  }

  clear(): void {
    this.#newer.clear();
    this.#older.clear();
  }
}
