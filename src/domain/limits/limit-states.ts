import { isPlain, type LimitState, type Window } from "./limits.ts";

/** How many keys share a page, unless a store says otherwise. */
const KEYS_PER_PAGE = 250;

/** The numbers of a plain limit state: the counts and the ends of both windows. */
const NUMBERS = 4;
/** The first number of a place that has no state of four numbers. */
const NONE = 0xffff_ffff;

/**
 * The limit states of some keys, which a store may keep together: to write a page takes hardly longer than to write one state.
 * Plain states, which nearly all are, are four numbers of 32 bits each: as objects they would take six times the memory.
 */
export class LimitPage {
  readonly #keyIds: string[];
  #keyIdsText: string | undefined;
  readonly numbers: Uint32Array<ArrayBuffer>;
  /** The states that are more than four numbers, by key id. */
  readonly others = new Map<string, LimitState>();

  /** `size`: how many keys it has room for. */
  constructor(size: number) {
    this.#keyIds = new Array(size).fill("");
    this.numbers = new Uint32Array(NUMBERS * size).fill(NONE);
  }

  /** The ids of the keys at all places, with spaces in between. It rarely changes, and is kept. */
  get keyIds(): string {
    this.#keyIdsText ??= this.#keyIds.join(" ");
    return this.#keyIdsText;
  }

  /** The key at a place; "" where the place is free. */
  keyAt(place: number): string {
    return this.#keyIds[place] as string;
  }

  /** Lets a key have a place, or frees it for the key "". */
  assign(place: number, keyId: string): void {
    this.#keyIds[place] = keyId;
    this.#keyIdsText = undefined;
  }

  /** Returns the state of the key at a place, mostly a copy of it: `set` it after a change. */
  get(place: number): LimitState | undefined {
    const { numbers } = this;
    const at = place * NUMBERS;
    const [count = NONE, resetAt = 0] = [numbers[at], numbers[at + 1]];
    if (count === NONE) return this.others.get(this.keyAt(place));
    return { minute: { count, resetAt }, day: { count: numbers[at + 2] ?? 0, resetAt: numbers[at + 3] ?? 0 } };
  }

  set(place: number, state: LimitState): void {
    if (!isPlain(state) || !fits(state.minute) || !fits(state.day)) {
      this.numbers[place * NUMBERS] = NONE;
      this.others.set(this.keyAt(place), state);
      return;
    }
    const { minute, day } = state;
    const { numbers } = this;
    const at = place * NUMBERS;
    numbers[at] = minute.count;
    numbers[at + 1] = minute.resetAt;
    numbers[at + 2] = day.count;
    numbers[at + 3] = day.resetAt;
    if (this.others.size > 0) this.others.delete(this.keyAt(place));
  }

  /** Removes the state of the key at a place. */
  clear(place: number): void {
    this.numbers[place * NUMBERS] = NONE;
    this.others.delete(this.keyAt(place));
  }

  *[Symbol.iterator](): Generator<[id: string, LimitState]> {
    for (const [place, id] of this.#keyIds.entries()) {
      const state = this.get(place);
      if (state !== undefined) yield [id, state];
    }
  }
}

/** Whether 32 bits are enough for a window: for its end until 2106, for its count always, as limits are smaller. */
function fits({ resetAt }: Window): boolean {
  return resetAt < NONE;
}

/** Limit states, and the places of those to save, in ascending order. Where there is none any more, remove that of the key. */
export type ChangedStates = { states: LimitStates; places: readonly number[] };

/**
 * Limit states by key id, on pages: a store can keep the states of a page together. A key keeps its place until its state is
 * removed and that was saved.
 */
export class LimitStates {
  readonly #pages: LimitPage[] = [];
  readonly #pageSize: number;
  readonly #places = new Map<string, number>();
  readonly #freePlaces: number[] = [];
  /** The places of the keys whose states were removed. */
  readonly #cleared = new Set<number>();
  /** For each place, whether its state changed since the last `drain`. */
  #isChanged: Uint8Array<ArrayBuffer>;

  /** `saved`: all pages of a store, by number in ascending order; `pageSize`: how many keys each has room for. */
  constructor(saved: Iterable<[number: number, page: LimitPage]> = [], pageSize = KEYS_PER_PAGE) {
    this.#pageSize = pageSize;
    this.#isChanged = new Uint8Array(pageSize);
    for (const [number, page] of saved) {
      while (this.#pages.length < number) this.#addPage(new LimitPage(pageSize));
      this.#addPage(page);
    }
  }

  /** Returns the state, mostly a copy of it: `set` it after a change. */
  get(id: string): LimitState | undefined {
    const place = this.#places.get(id);
    return place === undefined ? undefined : this.#pageOf(place).get(place % this.#pageSize);
  }

  set(id: string, state: LimitState): void {
    const place = this.#places.get(id) ?? this.#newPlace(id);
    this.#pageOf(place).set(place % this.#pageSize, state);
    this.#isChanged[place] = 1;
  }

  delete(id: string): void {
    const place = this.#places.get(id);
    if (place === undefined) return;
    this.#pageOf(place).clear(place % this.#pageSize);
    this.#isChanged[place] = 1;
    this.#cleared.add(place);
  }

  /** Returns what changed since the last call. Save it before the next call, or `requeue` it. */
  drain(): ChangedStates {
    this.#freeClearedPlaces();
    const isChanged = this.#isChanged;
    const places: number[] = [];
    for (let place = isChanged.indexOf(1); place !== -1; place = isChanged.indexOf(1, place + 1)) {
      places.push(place);
      isChanged[place] = 0;
    }
    return { states: this, places };
  }

  /** Returns these places from the next `drain` again, because they could not be saved. */
  requeue(places: Iterable<number>): void {
    for (const place of places) this.#isChanged[place] = 1;
  }

  *[Symbol.iterator](): Generator<[id: string, LimitState]> {
    for (const page of this.#pages) yield* page;
  }

  /** The key at a place. It keeps the place at least until the next `drain`. */
  idAt(place: number): string {
    return this.#pageOf(place).keyAt(place % this.#pageSize);
  }

  pagesOf(places: Iterable<number>): Map<number, LimitPage> {
    const pages = new Map<number, LimitPage>();
    for (const place of places) pages.set(Math.floor(place / this.#pageSize), this.#pageOf(place));
    return pages;
  }

  #addPage(page: LimitPage): void {
    const end = this.#pages.push(page) * this.#pageSize;
    for (let place = end - 1; place >= end - this.#pageSize; place--) {
      if (page.get(place % this.#pageSize) === undefined) this.#free(place);
      else this.#places.set(this.idAt(place), place);
    }
    if (end <= this.#isChanged.length) return;
    const grown = new Uint8Array(end * 2);
    grown.set(this.#isChanged);
    this.#isChanged = grown;
  }

  #newPlace(id: string): number {
    if (this.#freePlaces.length === 0) this.#addPage(new LimitPage(this.#pageSize));
    const place = this.#freePlaces.pop() as number;
    this.#pageOf(place).assign(place % this.#pageSize, id);
    this.#places.set(id, place);
    return place;
  }

  /** Frees the places of the states that were removed and have been saved since. */
  #freeClearedPlaces(): void {
    for (const place of this.#cleared) {
      if (this.#isChanged[place] === 1) continue;
      this.#cleared.delete(place);
      if (this.#pageOf(place).get(place % this.#pageSize) !== undefined) continue;
      this.#places.delete(this.idAt(place));
      this.#free(place);
    }
  }

  #free(place: number): void {
    this.#pageOf(place).assign(place % this.#pageSize, "");
    this.#freePlaces.push(place);
  }

  #pageOf(place: number): LimitPage {
    return this.#pages[Math.floor(place / this.#pageSize)] as LimitPage;
  }
}
