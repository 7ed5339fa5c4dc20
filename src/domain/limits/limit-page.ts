import { isPlain, type LimitState } from "./limit-state.ts";
import type { Window } from "./window.ts";

/**
 * How many keys share a page: as a row, their numbers take nearly all of a page of a SQLite file. Files have pages of this
 * size, so that another one needs a migration.
 */
export const KEYS_PER_PAGE = 250;

/** The numbers of a plain limit state: the counts and the ends of both windows. */
const NUMBERS = 4;
/** The first number of a place that has no state of four numbers. */
const NONE = 0xffff_ffff;

/**
 * The limit states of some keys, which a store may keep together: to write a page takes hardly longer than to write one state.
 * Plain states, which nearly all are, are four numbers of 32 bits each: as objects they would take six times the memory.
 */
export class LimitPage {
  readonly #keyIds: string[] = new Array(KEYS_PER_PAGE).fill("");
  #keyIdsText: string | undefined;
  readonly numbers = new Uint32Array(NUMBERS * KEYS_PER_PAGE).fill(NONE);
  /** The states that are more than four numbers, by key id. */
  readonly others = new Map<string, LimitState>();

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
