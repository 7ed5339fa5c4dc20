import type { CountTable } from "../../domain/usage/count-table.ts";
import type { Answered, RequestRecorder } from "../../domain/usage/recorder.ts";
import { type Resolution, startOf } from "../../domain/usage/resolution.ts";
import { rollUp, type UsageRow } from "../../domain/usage/roll-up.ts";
import type { UsageWrite } from "../../domain/usage/store.ts";
import { count, covers, merge, newTally, partsOf, type Tally, type TallyPart } from "../../domain/usage/tally.ts";

/** The keys of one write, which blocks the process and SQLite for one or two milliseconds. */
const KEYS_PER_WRITE = 200;
/** While nothing can be written, this many minutes are kept; older ones are summed by hour. */
const MAX_MINUTES = 60;

/** Counts requests in memory until they are written to the store. */
export class UsageBuffer implements RequestRecorder {
  readonly #writer: string;
  #number = 0;
  #rotations = 0;
  #rowsOfRotation = 0;
  #current: Tally = newTally(0);
  /** Earlier minutes that are not in a write yet, and sums of older ones by hour. */
  #earlier: Tally[] = [];
  #hours = new Map<number, Tally>();
  /** The pending writes, in order. They do not change any more. */
  #writes: { number: number; part: TallyPart }[] = [];
  /** Whether reads of the store find the first of them already. */
  #isFirstVisible = false;

  /** `writer`: a unique name of this process. */
  constructor(writer: string) {
    this.#writer = writer;
  }

  record(request: Answered): void {
    if (!covers(this.#current, request.at)) this.#begin(request.at);
    count(this.#current, request);
  }

  /** Whether writes are pending. */
  get isWriting(): boolean {
    return this.#writes.length > 0;
  }

  /** Returns the start of the earliest minute with counts that are not written yet (Unix ms). */
  get oldest(): number {
    const unwritten = [...this.#writes.map(({ part }) => part), ...this.#counted()];
    return unwritten.reduce((oldest, { minute }) => Math.min(oldest, minute), Infinity);
  }

  /** How often `rotate` created writes. */
  get rotations(): number {
    return this.#rotations;
  }

  /** The number of counts by key, minute and operation that the last `rotate` turned into writes. */
  get rowsOfRotation(): number {
    return this.#rowsOfRotation;
  }

  /** Turns the counts so far into writes, unless writes are pending: so the number of writes stays bounded. */
  rotate(): void {
    if (this.isWriting) return;
    this.#rotations += 1;
    this.#rowsOfRotation = 0;
    for (const tally of this.#counted()) {
      for (const part of partsOf(tally, KEYS_PER_WRITE)) {
        this.#number += 1;
        for (const { keyIds } of part.counted) this.#rowsOfRotation += keyIds.length;
        this.#writes.push({ number: this.#number, part });
      }
    }
    this.#current = newTally(this.#current.minute);
    this.#earlier = [];
    this.#hours.clear();
  }

  /** Returns the next write: the same one until `written` is called. */
  next(): UsageWrite | undefined {
    const [write] = this.#writes;
    return write && { ...rollUp(write.part), writer: this.#writer, number: write.number, at: write.part.minute };
  }

  /** Reads of the store find the write that `next` returned, which may not be durable yet. */
  visible(): void {
    this.#isFirstVisible = true;
  }

  /** Removes the write that `next` returned, after it succeeded. */
  written(): void {
    this.#writes.shift();
    this.#isFirstVisible = false;
  }

  /** Returns the counts of a key that reads of the store do not find yet, as rows of this resolution. */
  pendingOf(keyId: string, resolution: Resolution): UsageRow[] {
    const rows: UsageRow[] = [];
    const add = (minute: number, operation: string, table: CountTable) => {
      const counts = table.get(keyId);
      if (counts !== undefined)
        rows.push({ resolution, at: startOf(resolution, minute), who: keyId, operation, counts });
    };
    for (const { part } of this.#isFirstVisible ? this.#writes.slice(1) : this.#writes) {
      for (const { operation, keyIds, table } of part.counted) {
        if (keyIds.includes(keyId)) add(part.minute, operation, table);
      }
    }
    for (const { minute, byOperation } of this.#counted()) {
      for (const [operation, table] of byOperation) add(minute, operation, table);
    }
    return rows;
  }

  #begin(at: number): void {
    if (this.#current.byOperation.size > 0) this.#earlier.push(this.#current);
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

  #counted(): Tally[] {
    return [...this.#hours.values(), ...this.#earlier, this.#current].filter(({ byOperation }) => byOperation.size > 0);
  }
}
