import type { Clock } from "../../domain/clock.ts";
import type { Decision, Limiter, Standing, Subject } from "../../domain/limits/limiter.ts";
import { standingOf } from "../../domain/limits/standing.ts";
import { isOver, take, type Usage } from "../../domain/limits/usage.ts";

/** The limits of all keys, counted in this process. What changed can be taken out, to be kept over a restart. */
export class MemoryLimiter implements Limiter {
  readonly #clock: Clock;
  readonly #usages: Map<string, Usage>;
  readonly #changed = new Set<string>();

  /** `usages`: what was counted before, by key id. */
  constructor(clock: Clock, usages: Map<string, Usage> = new Map()) {
    this.#clock = clock;
    this.#usages = usages;
  }

  take(subject: Subject): Decision {
    const { usage, decision } = take(this.#usages.get(subject.id), subject, this.#clock());
    this.#usages.set(subject.id, usage);
    this.#changed.add(subject.id);
    return decision;
  }

  standing(subject: Subject): Standing {
    return standingOf(this.#usages.get(subject.id), subject, this.#clock());
  }

  /** The usage of the keys that changed since the last call; undefined where nothing of it matters any more. */
  drain(): Map<string, Usage | undefined> {
    const drained = new Map<string, Usage | undefined>();
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
