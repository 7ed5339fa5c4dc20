import type { Answered, RequestRecorder } from "../../domain/usage/recorder.ts";
import { type Resolution, startOf } from "../../domain/usage/resolution.ts";
import { rollUp, rowsOf, type UsageRow } from "../../domain/usage/roll-up.ts";
import type { UsageWrite } from "../../domain/usage/store.ts";
import { count, covers, merge, newTally, partsOf, type Tally } from "../../domain/usage/tally.ts";

/** Keys that go in one write: it holds up the process, and an embedded store, for a millisecond or two. */
const KEYS_A_WRITE = 100;
/** While nothing can be written, so many minutes are kept apart; what is older is kept by the hour. */
const MOST_MINUTES = 60;

/** Counts every request in memory, until somebody writes it down. */
export class UsageLog implements RequestRecorder {
  readonly #writer: string;
  #number = 0;
  #takenOut = 0;
  #current: Tally = newTally(0);
  /** Earlier minutes of which nothing was taken out yet, and what is too old to be kept by the minute, by its hour. */
  #earlier: Tally[] = [];
  #hours = new Map<number, Tally>();
  /** Taken out to be written, and never changed any more. */
  #writes: { number: number; part: Tally }[] = [];

  /** `writer`: names this process, and no other. */
  constructor(writer: string) {
    this.#writer = writer;
  }

  record(request: Answered): void {
    if (!covers(this.#current, request.at)) this.#begin(request.at);
    count(this.#current, request);
  }

  /** Whether something that was taken out is yet to be written, and how often something was. */
  get isWriting(): boolean {
    return this.#writes.length > 0;
  }

  get takenOut(): number {
    return this.#takenOut;
  }

  /** Has what was counted until now be written. Only once what was taken out before is written: what waits grows by minutes alone. */
  takeOut(): void {
    if (this.isWriting) return;
    this.#takenOut += 1;
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

  /** What is to be written next, of what was taken out: the same until it is said to be `written`. */
  next(): UsageWrite | undefined {
    const [write] = this.#writes;
    return write && { ...rollUp(write.part), writer: this.#writer, number: write.number, at: write.part.minute };
  }

  /** Forgets what `next` gave: it was written. */
  written(): void {
    this.#writes.shift();
  }

  /** What this key did that is yet to be written, as rows of this resolution. */
  pendingOf(keyId: string, resolution: Resolution): UsageRow[] {
    const tallies = [...this.#writes.map(({ part }) => part), ...this.#counted()];
    return tallies.flatMap(({ minute, byKey }) => rowsOf(resolution, minute, keyId, byKey.get(keyId) ?? new Map()));
  }

  #begin(at: number): void {
    if (this.#current.byKey.size > 0) this.#earlier.push(this.#current);
    this.#current = newTally(at);
    const oldest = this.#earlier.length > MOST_MINUTES ? this.#earlier.shift() : undefined;
    if (oldest !== undefined) this.#keepByTheHour(oldest);
  }

  #keepByTheHour(tally: Tally): void {
    const hour = startOf("hour", tally.minute);
    const known = this.#hours.get(hour) ?? newTally(hour);
    this.#hours.set(hour, known);
    merge(known, tally);
  }

  #counted(): Tally[] {
    return [...this.#hours.values(), ...this.#earlier, this.#current].filter(({ byKey }) => byKey.size > 0);
  }
}
