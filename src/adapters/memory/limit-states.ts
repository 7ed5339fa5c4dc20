import { isPlain, type LimitState } from "../../domain/limits/limit-state.ts";
import type { Window } from "../../domain/limits/window.ts";

/** The numbers of a plain limit state: the counts and the ends of both windows. */
const NUMBERS = 4;

/**
 * Limit states by key id. Plain ones, which are nearly all, are four numbers in one array: as three objects each would take
 * three times the memory, and many keys are in use.
 */
export class LimitStates {
  /** Where the numbers of a plain state begin. */
  readonly #offsets = new Map<string, number>();
  readonly #freeOffsets: number[] = [];
  #numbers = new Float64Array(NUMBERS * 8);
  readonly #others = new Map<string, LimitState>();

  constructor(states: Iterable<[id: string, LimitState]>) {
    for (const [id, state] of states) this.set(id, state);
  }

  /** Returns the state, mostly a copy of it: `set` it after a change. */
  get(id: string): LimitState | undefined {
    const offset = this.#offsets.get(id);
    return offset === undefined ? this.#others.get(id) : this.#plainAt(offset);
  }

  set(id: string, state: LimitState): void {
    if (!isPlain(state)) {
      this.delete(id);
      this.#others.set(id, state);
      return;
    }
    this.#others.delete(id);
    const { minute, day } = state;
    const offset = this.#offsets.get(id) ?? this.#newOffset(id);
    this.#numbers[offset] = minute.count;
    this.#numbers[offset + 1] = minute.resetAt;
    this.#numbers[offset + 2] = day.count;
    this.#numbers[offset + 3] = day.resetAt;
  }

  delete(id: string): void {
    const offset = this.#offsets.get(id);
    if (offset !== undefined) this.#freeOffsets.push(offset);
    this.#offsets.delete(id);
    this.#others.delete(id);
  }

  *[Symbol.iterator](): Generator<[id: string, LimitState]> {
    for (const [id, offset] of this.#offsets) yield [id, this.#plainAt(offset)];
    yield* this.#others;
  }

  #plainAt(offset: number): LimitState {
    const numbers = this.#numbers;
    const window = (i: number): Window => ({ count: numbers[i] ?? 0, resetAt: numbers[i + 1] ?? 0 });
    return { minute: window(offset), day: window(offset + 2) };
  }

  #newOffset(id: string): number {
    const offset = this.#freeOffsets.pop() ?? this.#offsets.size * NUMBERS;
    this.#offsets.set(id, offset);
    if (offset >= this.#numbers.length) {
      const grown = new Float64Array(this.#numbers.length * 2);
      grown.set(this.#numbers);
      this.#numbers = grown;
    }
    return offset;
  }
}
