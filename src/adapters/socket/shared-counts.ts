import type { LimitState } from "../../domain/limits/limit-state.ts";
import type { Decision, Subject } from "../../domain/limits/limiter.ts";
import { type SharedCount, stateAfter, takeAfter } from "../../domain/limits/shared-count.ts";

/** A cell has the generation in its upper 11 bits, and below it the requests that were taken. */
const TAKEN_BITS = 20;
const MOST_TAKEN = 2 ** TAKEN_BITS - 1;
const MOST_GENERATIONS = 2 ** (31 - TAKEN_BITS);

/** The bytes of memory for a service: for 262,144 keys at a time. */
export const SHARED_BYTES = 2 ** 20;

/**
 * Counts requests in memory that processes of this machine share. One atomic operation counts a request, only if nothing
 * else was counted since its decision: counts are exact, and a process that is killed leaves none half made.
 */
export class SharedCounts {
  readonly #cells: Int32Array;

  /** `memory`: four bytes for each key that is counted at a time, all zero before the first process used it. */
  constructor(memory: Uint8Array) {
    this.#cells = new Int32Array(memory.buffer, memory.byteOffset, memory.length / Int32Array.BYTES_PER_ELEMENT);
  }

  get cells(): number {
    return this.#cells.length;
  }

  /** Decides on a request, and counts it. Undefined if it must be decided elsewhere: it is not allowed, or the count has ended. */
  take(count: SharedCount, subject: Subject, now: number): Decision | undefined {
    for (;;) {
      const taken = this.takenOf(count);
      if (taken === undefined || taken === MOST_TAKEN) return undefined;
      const { decision, changesCountsAlone } = takeAfter(count.since, taken, subject, now);
      if (!changesCountsAlone) return undefined;
      if (this.#replace(count.cell, wordOf(count.generation, taken), wordOf(count.generation, taken + 1)))
        return decision;
    }
  }

  /** The requests that were taken; undefined once the count has ended. */
  takenOf({ cell, generation }: SharedCount): number | undefined {
    const word = Atomics.load(this.#cells, cell);
    return word >>> TAKEN_BITS === generation ? word & MOST_TAKEN : undefined;
  }

  /** Begins to count in a cell that has ended its last count, or was never used. */
  begin(cell: number, since: LimitState): SharedCount {
    return { cell, generation: Atomics.load(this.#cells, cell) >>> TAKEN_BITS, since };
  }

  /** Ends a count in all processes. Returns the limit state of the key. Only the process that began it calls this, once. */
  end(count: SharedCount): LimitState {
    const next = wordOf((count.generation + 1) % MOST_GENERATIONS, 0);
    for (;;) {
      const taken = this.takenOf(count);
      if (taken === undefined) return count.since;
      if (this.#replace(count.cell, wordOf(count.generation, taken), next)) return stateAfter(count.since, taken);
    }
  }

  #replace(cell: number, before: number, after: number): boolean {
    return Atomics.compareExchange(this.#cells, cell, before, after) === before;
  }
}

function wordOf(generation: number, taken: number): number {
  return (generation << TAKEN_BITS) | taken;
}
