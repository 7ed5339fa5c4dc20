import { type Awaitable, after } from "../../domain/awaitable.ts";
import { type Point, pointsOf } from "../../domain/usage/point.ts";
import { lastOf } from "../../domain/usage/resolution.ts";
import type { UsageStore } from "../../domain/usage/store.ts";
import type { UsageLog } from "./usage-log.ts";

const HOURS = 24;
/** How often a store that is a network away is asked until nothing was written meanwhile. While it takes no writes that never is. */
const MOST_TRIES = 3;

/** What each key did itself: what is kept, and what this process has yet to write. */
export class KeyUsage {
  readonly #log: UsageLog;
  readonly #store: UsageStore;
  /** What is being looked up: asking is free, so that whoever asks very often must not take more than its place. */
  readonly #asked = new Map<string, Promise<Point[]>>();

  constructor(log: UsageLog, store: UsageStore) {
    this.#log = log;
    this.#store = store;
  }

  /** The 24 hours up to the one that `now` (Unix ms) is in, oldest first. @throws service_unavailable */
  lastDay(keyId: string, now: number): Awaitable<Point[]> {
    const asked = this.#asked.get(keyId);
    if (asked !== undefined) return asked;
    const answer = this.#ask(keyId, lastOf("hour", HOURS, now), MOST_TRIES);
    if (!(answer instanceof Promise)) return answer;
    const answered = answer.finally(() => this.#asked.delete(keyId));
    this.#asked.set(keyId, answered);
    return answered;
  }

  /** Each request is kept, or yet to be written: never both, unless something is written while the store is asked. */
  #ask(keyId: string, hours: number[], tries: number): Awaitable<Point[]> {
    const { takenOut, isWriting } = this.#log;
    const kept = this.#store.usageOf(keyId, "hour", hours);
    const isAtHand = !(kept instanceof Promise);
    return after(kept, (rows) => {
      const isExact = isAtHand || (!isWriting && takenOut === this.#log.takenOut);
      if (!isExact && tries > 1) return this.#ask(keyId, hours, tries - 1);
      return pointsOf(hours, [...rows, ...this.#log.pendingOf(keyId, "hour")]);
    });
  }
}
