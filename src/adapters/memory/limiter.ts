import type { Clock } from "../../domain/clock.ts";
import { isOver, type LimitState, take } from "../../domain/limits/limit-state.ts";
import { limitStatusOf } from "../../domain/limits/limit-status.ts";
import type { Decision, Limiter, LimitStatus, Subject } from "../../domain/limits/limiter.ts";

/** The limits of all keys, counted in this process. `drain` gives what changed, to be kept over a restart. */
export class MemoryLimiter implements Limiter {
  readonly #clock: Clock;
  readonly #states: Map<string, LimitState>;
  readonly #changed = new Set<string>();

  /** `states`: what was counted before, by key id. */
  constructor(clock: Clock, states: Map<string, LimitState> = new Map()) {
    this.#clock = clock;
    this.#states = states;
  }

  take(subject: Subject): Decision {
    const { state, decision } = take(this.#states.get(subject.id), subject, this.#clock());
    this.#states.set(subject.id, state);
    this.#changed.add(subject.id);
    return decision;
  }

  status(subject: Subject): LimitStatus {
    return limitStatusOf(this.#states.get(subject.id), subject, this.#clock());
  }

  /** The limit states that changed since the last call; undefined for one that no longer matters. */
  drain(): Map<string, LimitState | undefined> {
    const drained = new Map<string, LimitState | undefined>();
    for (const id of this.#changed) drained.set(id, this.#states.get(id));
    this.#changed.clear();
    return drained;
  }

  /** Has the next `drain` give these keys again: they could not be written. */
  undrain(ids: Iterable<string>): void {
    for (const id of ids) this.#changed.add(id);
  }

  /** Removes what no longer matters. Call it every minute or so. */
  sweep(): void {
    const now = this.#clock();
    for (const [id, state] of this.#states) {
      if (!isOver(state, now)) continue;
      this.#states.delete(id);
      this.#changed.add(id);
    }
  }
}
