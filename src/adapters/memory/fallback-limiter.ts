import type { Awaitable } from "../../domain/awaitable.ts";
import type { Decision, Limiter, LimitStatus, Subject } from "../../domain/limits/limiter.ts";
import { shareOf } from "../../domain/limits/share.ts";

/**
 * How long the shared limiter may stay silent while it is asked something: this many ticks of this many ms, about 40 ms or
 * little more. Ticks, not time: where the machine is so busy that they come late, an answer may come as late.
 */
const TICK = 1;
const MOST_SILENT_TICKS = 35;
/** How often it is asked, once it failed, whether it is there again, in ms. */
const PROBE_EVERY = 250;

type Parts = {
  /** What all nodes count in. */
  shared: Limiter;
  /** What this node counts in alone, while `shared` cannot be had. */
  local: Limiter;
  /** Among how many nodes the limits are divided then. */
  nodes: number;
  /** Resolves when what `shared` stands on answers. */
  probe: () => Promise<unknown>;
  /** Told when `shared` fails, and when it is back: how many requests were counted here, and for how long (ms). */
  onFailure: (error: unknown) => void;
  onReturn: (requests: number, milliseconds: number) => void;
};

/**
 * Limits counted for all nodes together, and by this node alone, for its share, as long as that cannot be.
 * The shared limiter fails as a whole: when it raises an error, or when nothing at all is heard of it for 40 ms while
 * requests wait for it. A deadline for each request would take a crowd of requests for a failure.
 */
export class FallbackLimiter implements Limiter {
  readonly #parts: Parts;
  /** What waits for the shared limiter, each to be had decided here. */
  readonly #waiting = new Set<() => void>();
  #silentTicks = 0;
  #nextTick: ReturnType<typeof setTimeout> | undefined;
  #failedAt: number | undefined;
  #countedAlone = 0;
  #probes: ReturnType<typeof setInterval> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Begins without the shared limiter, until that answers. */
  startAlone(error: unknown): void {
    this.#fail(error);
  }

  take(subject: Subject): Awaitable<Decision> {
    return this.#ask(
      () => this.#parts.shared.take(subject),
      () => {
        this.#countedAlone += 1;
        return this.#parts.local.take(this.#shareOf(subject));
      },
    );
  }

  status(subject: Subject): Awaitable<LimitStatus> {
    return this.#ask(
      () => this.#parts.shared.status(subject),
      () => this.#parts.local.status(this.#shareOf(subject)),
    );
  }

  close(): void {
    clearInterval(this.#probes);
    clearTimeout(this.#nextTick);
  }

  /** What `together` gives, or `here` once that cannot be had. */
  #ask<T>(together: () => Awaitable<T>, here: () => Awaitable<T>): Awaitable<T> {
    if (this.#failedAt !== undefined) return here();
    return new Promise((resolve) => {
      const alone = () => resolve(here());
      if (this.#waiting.size === 0) this.#silentTicks = 0;
      this.#waiting.add(alone);
      this.#nextTick ??= setTimeout(this.#tick, TICK);
      Promise.try(together).then(
        (answer) => {
          this.#silentTicks = 0;
          if (this.#waiting.delete(alone)) resolve(answer);
        },
        (error) => this.#fail(error),
      );
    });
  }

  #shareOf(subject: Subject): Subject {
    return { ...subject, limits: shareOf(subject.limits, this.#parts.nodes) };
  }

  readonly #tick = (): void => {
    this.#nextTick = undefined;
    if (this.#waiting.size === 0) return;
    this.#silentTicks += 1;
    if (this.#silentTicks <= MOST_SILENT_TICKS) this.#nextTick = setTimeout(this.#tick, TICK);
    else this.#fail(new Error(`no answer for ${TICK * MOST_SILENT_TICKS} ms`));
  };

  #fail(error: unknown): void {
    if (this.#failedAt === undefined) {
      this.#failedAt = performance.now();
      this.#countedAlone = 0;
      this.#parts.onFailure(error);
      this.#probes = setInterval(() => this.#probe(), PROBE_EVERY);
    }
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const alone of waiting) alone();
  }

  /** One answer in time is enough: were it the only one, the next silence is noticed as soon. */
  async #probe(): Promise<void> {
    const asked = performance.now();
    try {
      await this.#parts.probe();
    } catch {
      return;
    }
    if (this.#failedAt === undefined || performance.now() - asked > TICK * MOST_SILENT_TICKS) return;
    clearInterval(this.#probes);
    const alone = performance.now() - this.#failedAt;
    this.#failedAt = undefined;
    this.#parts.onReturn(this.#countedAlone, Math.round(alone));
  }
}
