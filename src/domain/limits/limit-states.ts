import { KEYS_PER_PAGE, LimitPage } from "./limit-page.ts";
import type { LimitState } from "./limit-state.ts";

/** Limit states, and the places of those to save, in ascending order. Where there is none any more, remove that of the key. */
export type ChangedStates = { states: LimitStates; places: readonly number[] };

/**
 * Limit states by key id, on pages: a store can keep the states of a page together. A key keeps its place until its state is
 * removed and that was saved.
 */
export class LimitStates {
  readonly #pages: LimitPage[] = [];
  /** Where the state of each key is, counted over all pages. */
  readonly #places = new Map<string, number>();
  readonly #freePlaces: number[] = [];
  /** The places of the keys whose states were removed. */
  readonly #cleared = new Set<number>();
  /** For each place, whether its state changed since the last `drain`. */
  #isChanged = new Uint8Array(KEYS_PER_PAGE);

  /** `saved`: all pages of a store, by number in ascending order. */
  constructor(saved: Iterable<[number: number, page: LimitPage]> = []) {
    for (const [number, page] of saved) {
      while (this.#pages.length < number) this.#addPage(new LimitPage());
      this.#addPage(page);
    }
  }

  /** Returns the state, mostly a copy of it: `set` it after a change. */
  get(id: string): LimitState | undefined {
    const place = this.#places.get(id);
    return place === undefined ? undefined : this.#pageOf(place).get(place % KEYS_PER_PAGE);
  }

  set(id: string, state: LimitState): void {
    const place = this.#places.get(id) ?? this.#newPlace(id);
    this.#pageOf(place).set(place % KEYS_PER_PAGE, state);
    this.#isChanged[place] = 1;
  }

  delete(id: string): void {
    const place = this.#places.get(id);
    if (place === undefined) return;
    this.#pageOf(place).clear(place % KEYS_PER_PAGE);
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
    return this.#pageOf(place).keyAt(place % KEYS_PER_PAGE);
  }

  /** The pages that these places are on, by number. */
  pagesOf(places: Iterable<number>): Map<number, LimitPage> {
    const pages = new Map<number, LimitPage>();
    for (const place of places) pages.set(Math.floor(place / KEYS_PER_PAGE), this.#pageOf(place));
    return pages;
  }

  #addPage(page: LimitPage): void {
    const end = this.#pages.push(page) * KEYS_PER_PAGE;
    for (let place = end - 1; place >= end - KEYS_PER_PAGE; place--) {
      if (page.get(place % KEYS_PER_PAGE) === undefined) this.#free(place);
      else this.#places.set(this.idAt(place), place);
    }
    if (end <= this.#isChanged.length) return;
    const grown = new Uint8Array(end * 2);
    grown.set(this.#isChanged);
    this.#isChanged = grown;
  }

  #newPlace(id: string): number {
    if (this.#freePlaces.length === 0) this.#addPage(new LimitPage());
    const place = this.#freePlaces.pop() as number;
    this.#pageOf(place).assign(place % KEYS_PER_PAGE, id);
    this.#places.set(id, place);
    return place;
  }

  /** Frees the places of the states that were removed and have been saved since. */
  #freeClearedPlaces(): void {
    for (const place of this.#cleared) {
      if (this.#isChanged[place] === 1) continue;
      this.#cleared.delete(place);
      if (this.#pageOf(place).get(place % KEYS_PER_PAGE) !== undefined) continue;
      this.#places.delete(this.idAt(place));
      this.#free(place);
    }
  }

  #free(place: number): void {
    this.#pageOf(place).assign(place % KEYS_PER_PAGE, "");
    this.#freePlaces.push(place);
  }

  #pageOf(place: number): LimitPage {
    return this.#pages[Math.floor(place / KEYS_PER_PAGE)] as LimitPage;
  }
}
