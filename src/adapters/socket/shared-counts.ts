import type { Handover } from "../../domain/limits/fallback-counts.ts";
import type { ChangedStates } from "../../domain/limits/limit-states.ts";
import type { LimitBackend } from "../../domain/limits/limiter.ts";
import {
  type Decision,
  type LimitState,
  type LimitStatus,
  type SharedCount,
  type Subject,
  stateAfter,
  takeAfter,
} from "../../domain/limits/limits.ts";
import { LruMap } from "../../domain/lru-map.ts";
import type { Clock } from "../../domain/time.ts";

/** A cell has the generation in its upper 11 bits, and below it the requests that were taken. */
const TAKEN_BITS = 20;
const MOST_TAKEN = 2 ** TAKEN_BITS - 1;
const MOST_GENERATIONS = 2 ** (31 - TAKEN_BITS);

/** The bytes of memory for a service: for 262,144 keys at a time. */
export const SHARED_BYTES = 2 ** 20;

/**
 * Counts requests in memory that processes of this machine share. One atomic operation counts a request with its cost, only if nothing
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
  take(count: SharedCount, subject: Subject, now: number, cost = 1): Decision | undefined {
    for (;;) {
      const taken = this.takenOf(count);
      if (taken === undefined || taken + cost > MOST_TAKEN) return undefined;
      const { decision, changesCountsAlone } = takeAfter(count.since, taken, subject, now, cost);
      if (!changesCountsAlone) return undefined;
      if (this.#replace(count.cell, wordOf(count.generation, taken), wordOf(count.generation, taken + cost)))
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

/** Each takes about 300 bytes. */
const MOST_KEYS = 50_000;

export class KnownCounts {
  readonly #clock: Clock;
  readonly #counts: SharedCounts;
  readonly #known = new LruMap<SharedCount>(MOST_KEYS);

  constructor(clock: Clock, counts: SharedCounts) {
    this.#clock = clock;
    this.#counts = counts;
  }

  add(id: string, count: SharedCount): void {
    this.#known.set(id, count);
  }

  /** Allows a request and counts it. Undefined if it must be decided elsewhere. */
  take(subject: Subject, cost = 1): Decision | undefined {
    const count = this.#known.get(subject.id);
    return count && this.#counts.take(count, subject, this.#clock(), cost);
  }

  /** The limit state of a key, as long as its count in shared memory has not ended. */
  stateOf(id: string): LimitState | undefined {
    const count = this.#known.get(id);
    const taken = count && this.#counts.takenOf(count);
    return count === undefined || taken === undefined ? undefined : stateAfter(count.since, taken);
  }
}

/** A back end that counts in this process, and whose limit states can be read and replaced. */
interface LocalBackend extends LimitBackend {
  take(subject: Subject, cost?: number): Decision;
  status(subject: Subject): LimitStatus;
  stateOf(id: string): LimitState | undefined;
  replaceState(id: string, state: LimitState): void;
  add(subject: Subject, handover: Handover): void;
}

/** How many cells may be in use before a key gets none. */
const MOST_TRIES = 8;

/**
 * Counts the limits of keys for this process and others: allowed requests in memory that all share, and what changes more
 * than counts in a limiter of this process. All decisions are those of one counter.
 */
export class SharingLimiter implements LimitBackend {
  readonly fallbacks = { total: 0, isActive: false, requests: 0 };
  readonly server = undefined;
  readonly #clock: Clock;
  readonly #local: LocalBackend;
  readonly #counts: SharedCounts;
  /** The counts in shared memory, and how many of their requests the local limiter has. */
  readonly #shared = new Map<string, { count: SharedCount; known: number }>();
  /** Cells are used in turn, so that one has a generation again only after all others had all theirs. */
  readonly #isUsed: Uint8Array;
  #nextCell = 0;

  constructor(clock: Clock, local: LocalBackend, counts: SharedCounts) {
    this.#clock = clock;
    this.#local = local;
    this.#counts = counts;
    this.#isUsed = new Uint8Array(counts.cells);
  }

  take(subject: Subject, cost = 1): Decision {
    const { id } = subject;
    const count = this.sharedCountOf(id);
    if (count !== undefined) {
      const decision = this.#counts.take(count, subject, this.#clock(), cost);
      if (decision !== undefined) return decision;
      this.#end(id, count);
    }
    const decision = this.#local.take(subject, cost);
    if (decision.outcome === "allowed") this.#begin(id);
    return decision;
  }

  status(subject: Subject): LimitStatus {
    this.#update(subject.id);
    return this.#local.status(subject);
  }

  sharedStatus(subject: Subject): LimitStatus {
    return this.status(subject);
  }

  add(subject: Subject, handover: Handover): void {
    const count = this.sharedCountOf(subject.id);
    if (count !== undefined) this.#end(subject.id, count);
    this.#local.add(subject, handover);
  }

  sharedCountOf(id: string): SharedCount | undefined {
    return this.#shared.get(id)?.count;
  }

  drain(): ChangedStates {
    for (const id of this.#shared.keys()) this.#update(id);
    return this.#local.drain();
  }

  requeue(places: Iterable<number>): void {
    this.#local.requeue(places);
  }

  sweep(): void {
    const now = this.#clock();
    for (const [id, { count }] of this.#shared) {
      if (now >= count.since.minute.resetAt * 1000) this.#end(id, count);
    }
    this.#local.sweep();
  }

  close(): void {
    this.#local.close();
  }

  #begin(id: string): void {
    const since = this.#local.stateOf(id);
    const cell = this.#freeCell();
    if (since === undefined || cell === undefined) return;
    this.#isUsed[cell] = 1;
    this.#shared.set(id, { count: this.#counts.begin(cell, since), known: 0 });
  }

  #end(id: string, count: SharedCount): void {
    this.#local.replaceState(id, this.#counts.end(count));
    this.#shared.delete(id);
    this.#isUsed[count.cell] = 0;
  }

  /** Lets the local limiter have all requests of a key that were counted so far. */
  #update(id: string): void {
    const shared = this.#shared.get(id);
    if (shared === undefined) return;
    const taken = this.#counts.takenOf(shared.count) ?? 0;
    if (taken === shared.known) return;
    shared.known = taken;
    this.#local.replaceState(id, stateAfter(shared.count.since, taken));
  }

  #freeCell(): number | undefined {
    for (let i = 0; i < MOST_TRIES; i++) {
      const cell = this.#nextCell;
      this.#nextCell = (cell + 1) % this.#counts.cells;
      if (this.#isUsed[cell] === 0) return cell;
    }
    return undefined;
  }
}
