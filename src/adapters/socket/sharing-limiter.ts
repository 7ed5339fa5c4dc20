import type { Clock } from "../../domain/clock.ts";
import type { LimitState } from "../../domain/limits/limit-state.ts";
import type { ChangedStates } from "../../domain/limits/limit-states.ts";
import type { Decision, LimitStatus, Subject } from "../../domain/limits/limiter.ts";
import { type SharedCount, stateAfter } from "../../domain/limits/shared-count.ts";
import type { SharedCounts } from "./shared-counts.ts";

/** A limiter that counts in this process, and whose limit states can be read and replaced. */
type LocalLimiter = {
  take(subject: Subject): Decision;
  status(subject: Subject): LimitStatus;
  stateOf(id: string): LimitState | undefined;
  replaceState(id: string, state: LimitState): void;
  drain(): ChangedStates;
  requeue(places: Iterable<number>): void;
  sweep(): void;
};

/** How many cells may be in use before a key gets none. */
const MOST_TRIES = 8;

/**
 * Counts the limits of keys for this process and others: allowed requests in memory that all share, and what changes more
 * than counts in a limiter of this process. All decisions are those of one counter.
 */
export class SharingLimiter {
  readonly #clock: Clock;
  readonly #local: LocalLimiter;
  readonly #counts: SharedCounts;
  /** The counts in shared memory, and how many of their requests the local limiter has. */
  readonly #shared = new Map<string, { count: SharedCount; known: number }>();
  /** Cells are used in turn, so that one has a generation again only after all others had all theirs. */
  readonly #isUsed: Uint8Array;
  #nextCell = 0;

  constructor(clock: Clock, local: LocalLimiter, counts: SharedCounts) {
    this.#clock = clock;
    this.#local = local;
    this.#counts = counts;
    this.#isUsed = new Uint8Array(counts.cells);
  }

  take(subject: Subject): Decision {
    const { id } = subject;
    const count = this.sharedCountOf(id);
    if (count !== undefined) {
      const decision = this.#counts.take(count, subject, this.#clock());
      if (decision !== undefined) return decision;
      this.#end(id, count);
    }
    const decision = this.#local.take(subject);
    if (decision.outcome === "allowed") this.#begin(id);
    return decision;
  }

  status(subject: Subject): LimitStatus {
    this.#update(subject.id);
    return this.#local.status(subject);
  }

  /** The count of a key in shared memory, if it has one. */
  sharedCountOf(id: string): SharedCount | undefined {
    return this.#shared.get(id)?.count;
  }

  /** See `MemoryLimiter`. */
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
