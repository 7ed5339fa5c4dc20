import type { Clock } from "../../domain/clock.ts";
import type { Decision, Limiter, Subject } from "../../domain/limits/limiter.ts";
import { type SharedCount, takeAfter } from "../../domain/limits/shared-count.ts";
import { LruMap } from "../../domain/lru-map.ts";
import type { SharedCounts } from "./shared-counts.ts";

/** Each takes about 300 bytes. */
const MOST_KEYS = 50_000;

/** The counts in shared memory that this process knows. */
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
  take(subject: Subject): Decision | undefined {
    const count = this.#known.get(subject.id);
    return count && this.#counts.take(count, subject, this.#clock());
  }

  /** The refusal of a request whose limits are used up, as far as this process knows. It is counted nowhere. */
  refusalOf(subject: Subject): Decision | undefined {
    const count = this.#known.get(subject.id);
    const taken = count && this.#counts.takenOf(count);
    if (count === undefined || taken === undefined) return undefined;
    const { decision } = takeAfter(count.since, taken, subject, this.#clock());
    return decision.outcome === "allowed" ? undefined : decision;
  }
}

/** Counts in shared memory what `counts` knows, and `others` count the rest. */
export function countingFirstIn(counts: KnownCounts, others: Limiter): Limiter {
  return {
    takeAtOnce: (subject) => counts.take(subject),
    take: (subject) => counts.take(subject) ?? others.take(subject),
    status: (subject) => others.status(subject),
  };
}
