import type { Answered, RequestRecorder } from "../../domain/usage/recorder.ts";
import { type Resolution, startOf } from "../../domain/usage/resolution.ts";
import { rollUp, rowsOf, type UsageRow } from "../../domain/usage/roll-up.ts";
import type { UsageWrite } from "../../domain/usage/store.ts";
import { count, covers, merge, newTally, partsOf, type Tally } from "../../domain/usage/tally.ts";

/** Keys in one write, which blocks the process, and an embedded store, for a millisecond or two. */
const KEYS_A_WRITE = 100;
/** While nothing can be written, so many minutes are kept apart; older ones are added up by hour. */
const MAX_MINUTES = 60;

/** Counts every request in memory until it is written to the store. */
export class UsageLog implements RequestRecorder {
  readonly #writer: string;
  #number = 0;
  #rotations = 0;
  #current: Tally = newTally(0);
  /** Earlier minutes that are not among the writes yet, and what is too old to be kept by minute, by its hour. */
  #earlier: Tally[] = [];
  #hours = new Map<number, Tally>();
  /** What is to be written next, in order. It no longer changes. */
  #writes: { number: number; part: Tally }[] = [];

  /** `writer`: names this process, and no other. */
  constructor(writer: string) {
    this.#writer = writer;
  }

  record(request: Answered): void {
    if (!covers(this.#current, request.at)) this.#begin(request.at);
    count(this.#current, request);
  }

  /** Whether writes are yet to be done. */
  get isWriting(): boolean {
    return this.#writes.length > 0;
  }

  /** When the earliest minute began of which anything is yet to be written (Unix ms). */
  get oldest(): number {
    return Math.min(...this.#unwritten().map(({ minute }) => minute));
  }

  /** How often `rotate` began new writes. */
  get rotations(): number {
    return this.#rotations;
  }

  /** Makes writes of everything counted so far, unless earlier ones are yet to be done: what waits grows by minutes only. */
  rotate(): void {
    if (this.isWriting) return;
    this.#rotations += 1;
    for (const tally of this.#counted()) {
      for (const part of partsOf(tally, KEYS_A_WRITE)) {
        this.#number += 1;
        this.#writes.push({ number: this.#number, part });
      }
    }
    this.#current = newTally(this.#current.minute);
    this.#earlier = [];
    this.#hours.clear();
  }

  /** The write to do next: the same until `written` is called. */
  next(): UsageWrite | undefined {
    const [write] = this.#writes;
    return write && { ...rollUp(write.part), writer: this.#writer, number: write.number, at: write.part.minute };
  }

  /** Removes the write that `next` returned: it was done. */
  written(): void {
    this.#writes.shift();
  }

  /** What of this key is yet to be written, as rows of this resolution. */
  pendingOf(keyId: string, resolution: Resolution): UsageRow[] {
    return this.#unwritten().flatMap(({ minute, byKey }) =>
      rowsOf(resolution, minute, keyId, byKey.get(keyId) ?? new Map()),
    );
  }

  #begin(at: number): void {
    if (this.#current.byKey.size > 0) this.#earlier.push(this.#current);
    this.#current = newTally(at);
    const oldest = this.#earlier.length > MAX_MINUTES ? this.#earlier.shift() : undefined;
    if (oldest !== undefined) this.#addToHour(oldest);
  }

  #addToHour(tally: Tally): void {
    const hour = startOf("hour", tally.minute);
    const sum = this.#hours.get(hour) ?? newTally(hour);
    this.#hours.set(hour, sum);
    merge(sum, tally);
  }

  #unwritten(): Tally[] {
    return [...this.#writes.map(({ part }) => part), ...this.#counted()];
  }

  #counted(): Tally[] {
    return [...this.#hours.values(), ...this.#earlier, this.#current].filter(({ byKey }) => byKey.size > 0);
  }
}
