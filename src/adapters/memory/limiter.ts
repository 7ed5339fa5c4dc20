import type { Clock } from "../../domain/clock.ts";
import { isOver, type LimitState, take } from "../../domain/limits/limit-state.ts";
import { limitStatusOf } from "../../domain/limits/limit-status.ts";
import type { Decision, Limiter, LimitStatus, Subject } from "../../domain/limits/limiter.ts";

/** The limits of all keys, counted in this process. What changed can be taken out, to be kept over a restart. */
export class MemoryLimiter implements Limiter {
  readonly #clock: Clock;
  readonly #usages: Map<string, LimitState>;
  readonly #changed = new Set<string>();

  /** `usages`: what was counted before, by key id. */
  constructor(clock: Clock, usages: Map<string, LimitState> = new Map()) {
    this.#clock = clock;
    this.#usages = usages;
  }

  take(subject: Subject): Decision {
    const { state, decision } = take(this.#usages.get(subject.id), subject, this.#clock());
    this.#usages.set(subject.id, state);
    this.#changed.add(subject.id);
    return decision;
  }

  status(subject: Subject): LimitStatus {
    return limitStatusOf(this.#usages.get(subject.id), subject, this.#clock());
  }

  /** The usage of the keys that changed since the last call; undefined where nothing of it matters any more. */
  drain(): Map<string, LimitState | undefined> {
    const drained = new Map<string, LimitState | undefined>();
    for (const id of this.#changed) drained.set(id, this.#usages.get(id));
    this.#changed.clear();
    return drained;
  }

  /** Has the next `drain` give these keys again: keeping them failed. */
  undrain(ids: Iterable<string>): void {
    for (const id of ids) this.#changed.add(id);
  }

  /** Forgets what no longer matters. Worth doing every minute or so. */
  sweep(): void {
    const now = this.#clock();
    for (const [id, usage] of this.#usages) {
      if (!isOver(usage, now)) continue;
      this.#usages.delete(id);
      this.#changed.add(id);
    }
  }
}
