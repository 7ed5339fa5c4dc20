import type { Awaitable } from "../../domain/awaitable.ts";
import type { Decision, Limiter, LimitStatus, Subject } from "../../domain/limits/limiter.ts";
import { shareOf } from "../../domain/limits/share.ts";

/**
 * How long the shared limiter may stay silent while requests wait for it: this many ticks of this many ms, about 40 ms or
 * little more. Ticks, not time: where the machine is so busy that they come late, an answer may come as late.
 */
const TICK = 1;
const MOST_SILENT_TICKS = 35;
/** How often it is probed once it has failed, in ms. */
const PROBE_EVERY = 250;

type Parts = {
  /** Counts for all nodes. */
  shared: Limiter;
  /** Counts for this node, while `shared` fails. */
  local: Limiter;
  /** Among how many nodes the limits are divided then. */
  nodes: number;
  /** Resolves when the server of `shared` answers. */
  probe: () => Promise<unknown>;
  /** Called when `shared` fails, and when it is back: how many requests were counted here, and for how long (ms). */
  onFailure: (error: unknown) => void;
  onReturn: (requests: number, milliseconds: number) => void;
};

/**
 * Limits counted for all nodes, and by this node for its share while that fails.
 * The shared limiter fails as a whole: when it raises an error, or when it answers no request for 40 ms while requests
 * wait for it. A deadline for each request would take a crowd of requests for a failure.
 */
export class FallbackLimiter implements Limiter {
  readonly #parts: Parts;
  /** For each request that waits for the shared limiter, what has it counted here instead. */
  readonly #waiting = new Set<() => void>();
  #silentTicks = 0;
  #nextTick: ReturnType<typeof setTimeout> | undefined;
  #failedAt: number | undefined;
  #countedLocally = 0;
  #probes: ReturnType<typeof setInterval> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Begins with the local limiter, until the shared one answers. */
  startLocally(error: unknown): void {
    this.#fail(error);
  }

  take(subject: Subject): Awaitable<Decision> {
    return this.#count(
      () => this.#parts.shared.take(subject),
      () => {
        this.#countedLocally += 1;
        return this.#parts.local.take(this.#shareOf(subject));
      },
    );
  }

  status(subject: Subject): Awaitable<LimitStatus> {
    return this.#count(
      () => this.#parts.shared.status(subject),
      () => this.#parts.local.status(this.#shareOf(subject)),
    );
  }

  close(): void {
    clearInterval(this.#probes);
    clearTimeout(this.#nextTick);
  }

  /** What `shared` gives, or `local` once the shared limiter has failed. */
  #count<T>(shared: () => Awaitable<T>, local: () => Awaitable<T>): Awaitable<T> {
    if (this.#failedAt !== undefined) return local();
    return new Promise((resolve) => {
      const fallBack = () => resolve(local());
      if (this.#waiting.size === 0) this.#silentTicks = 0;
      this.#waiting.add(fallBack);
      this.#nextTick ??= setTimeout(this.#tick, TICK);
      Promise.try(shared).then(
        (answer) => {
          this.#silentTicks = 0;
          if (this.#waiting.delete(fallBack)) resolve(answer);
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
      this.#countedLocally = 0;
      this.#parts.onFailure(error);
      this.#probes = setInterval(() => this.#probe(), PROBE_EVERY);
    }
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const fallBack of waiting) fallBack();
  }

  /** One answer in time is enough: if no other follows, that silence is noticed as soon. */
  async #probe(): Promise<void> {
    const startedAt = performance.now();
    try {
      await this.#parts.probe();
    } catch {
      return;
    }
    if (this.#failedAt === undefined || performance.now() - startedAt > TICK * MOST_SILENT_TICKS) return;
    clearInterval(this.#probes);
    const duration = performance.now() - this.#failedAt;
    this.#failedAt = undefined;
    this.#parts.onReturn(this.#countedLocally, Math.round(duration));
  }
}
