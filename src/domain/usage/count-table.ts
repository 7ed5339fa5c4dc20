/** The counts of one operation: its requests in the order of `statusClasses`, then the bans that they began. */
export type Counts = number[];

const COLUMNS = 5;

/** Counts of keys, by their ids, in one array of numbers: an object for each key would take several times the memory. */
export class CountTable {
  /** Where the counts of each key begin. */
  readonly #offsets = new Map<string, number>();
  #counts = new Uint32Array(COLUMNS * 8);

  get keyIds(): Iterable<string> {
    return this.#offsets.keys();
  }

  increment(keyId: string, column: number): void {
    const i = this.#offsetOf(keyId) + column;
    this.#counts[i] = (this.#counts[i] ?? 0) + 1;
  }

  add(keyId: string, counts: Counts): void {
    const offset = this.#offsetOf(keyId);
    for (const [i, count] of counts.entries()) this.#counts[offset + i] = (this.#counts[offset + i] ?? 0) + count;
  }

  get(keyId: string): Counts | undefined {
    const offset = this.#offsets.get(keyId);
    return offset === undefined ? undefined : [...this.#counts.subarray(offset, offset + COLUMNS)];
  }

  /** The sum of the counts of these keys. */
  sumOf(keyIds: Iterable<string>): Counts {
    const sum = new Array<number>(COLUMNS).fill(0);
    for (const keyId of keyIds) {
      const offset = this.#offsets.get(keyId) ?? Number.NaN;
      for (let i = 0; i < COLUMNS; i++) sum[i] = (sum[i] ?? 0) + (this.#counts[offset + i] ?? 0);
    }
    return sum;
  }

  #offsetOf(keyId: string): number {
    let offset = this.#offsets.get(keyId);
    if (offset === undefined) {
      offset = this.#offsets.size * COLUMNS;
      this.#offsets.set(keyId, offset);
      if (offset >= this.#counts.length) this.#grow();
    }
    return offset;
  }

  #grow(): void {
    const grown = new Uint32Array(this.#counts.length * 2);
    grown.set(this.#counts);
    this.#counts = grown;
  }
}
