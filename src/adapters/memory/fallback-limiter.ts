import type { Awaitable } from "../../domain/awaitable.ts";
import type { ChangedStates } from "../../domain/limits/limit-states.ts";
import type { LimitBackend, Limiter, LimitServer, SharedLimiter } from "../../domain/limits/limiter.ts";
import { type Decision, type LimitStatus, type Subject, shareOf } from "../../domain/limits/limits.ts";
import type { MemoryLimiter } from "./limiter.ts";

/** In ms. Silence is counted in ticks instead of time: on a busy machine ticks are late, and so are answers. */
const TICK = 1;
/** How often a failed limiter is probed, in ms. */
const PROBE_INTERVAL = 250;

type FallbackOptions = {
  /** Counts for several processes. */
  shared: SharedLimiter;
  /** What requests call in place of `shared`: the same with instrumentation. */
  observed?: Limiter | undefined;
  /** Counts for this process while `shared` fails. */
  local: MemoryLimiter;
  /** The number of nodes that the limits are then divided by. */
  nodes: number;
  /** The shared limiter counts as failed after this many ticks without an answer while requests wait. */
  patience: number;
  /** Called when `shared` fails, and when it works again: with the requests counted locally and the duration (ms). */
  onFailure: (error: unknown) => void;
  onReturn: (requests: number, milliseconds: number) => void;
  /** Called when `shared` fails for this key alone, until it works for it again. */
  onKeyFailure: (error: unknown, keyId: string) => void;
};

/**
 * Counts with the shared limiter, and with the local one for this node's share while the shared one fails.
 * It fails for all requests at once: when it answers no request for a while, or throws without an answer
 * of its server, or the server refuses another key too. A timeout per request would take a burst of requests for a failure.
 */
export class FallbackLimiter implements LimitBackend {
  readonly fallbacks = { total: 0, isActive: false };
  readonly takeAtOnce: Limiter["takeAtOnce"];
  readonly #options: FallbackOptions;
  readonly #shared: SharedLimiter;
  readonly #observed: Limiter;
  readonly #local: MemoryLimiter;
  /** For each request that waits for the shared limiter: a function that counts it locally. */
  readonly #waiting = new Set<() => void>();
  #silentTicks = 0;
  #nextTick: ReturnType<typeof setTimeout> | undefined;
  #failedAt: number | undefined;
  /** The key of the request that failed first. */
  #failedKey = "";
  /** The keys for which alone the shared limiter fails. */
  readonly #failedKeys = new Set<string>();
  /** Requests counted locally since the shared limiter failed. */
  #countedLocally = 0;
  #probes: ReturnType<typeof setInterval> | undefined;

  constructor(options: FallbackOptions) {
    const { shared, observed = shared, local } = options;
    this.#options = options;
    this.#shared = shared;
    this.#observed = observed;
    this.#local = local;
    this.takeAtOnce = observed.takeAtOnce;
  }

  get server(): LimitServer | undefined {
    return this.#shared.server;
  }

  /** Starts with the local limiter, until the shared one answers. */
  startLocally(error: unknown): void {
    this.#fail(error, "");
  }

  take(subject: Subject): Awaitable<Decision> {
    const decision = this.takeAtOnce?.(subject);
    if (decision !== undefined) return decision;
    return this.#count(
      subject.id,
      () => this.#observed.take(subject),
      () => this.#takeLocally(this.#shareOf(subject)),
    );
  }

  status(subject: Subject): Awaitable<LimitStatus> {
    return this.#count(
      subject.id,
      () => this.#observed.status(subject),
      () => this.#local.status(this.#shareOf(subject)),
    );
  }

  sharedStatus(subject: Subject): Awaitable<LimitStatus> {
    return this.#shared.status(subject);
  }

  /** Counts of this process mean nothing to the next one. */
  drain(): ChangedStates {
    return { ...this.#local.drain(), places: [] };
  }

  requeue(): void {}

  sweep(): void {
    this.#local.sweep();
  }

  close(): void {
    clearInterval(this.#probes);
    clearTimeout(this.#nextTick);
    this.#shared.close();
  }

  #takeLocally(share: Subject): Decision {
    this.#countedLocally += 1;
    return this.#shared.refusalOf(share) ?? this.#local.take(share);
  }

  /** Returns the result of `shared`, or of `local` when the shared limiter has failed. */
  #count<T>(keyId: string, shared: () => Awaitable<T>, local: () => Awaitable<T>): Awaitable<T> {
    if (this.#failedAt !== undefined) return local();
    return new Promise((resolve) => {
      const fallBack = () => resolve(local());
      if (this.#waiting.size === 0) this.#silentTicks = 0;
      this.#waiting.add(fallBack);
      this.#nextTick ??= setTimeout(this.#tick, TICK);
      Promise.try(shared).then(
        (answer) => {
          this.#silentTicks = 0;
          if (this.#failedKeys.size > 0) this.#failedKeys.delete(keyId);
          if (this.#waiting.delete(fallBack)) resolve(answer);
        },
        (error) => {
          if (!this.#waiting.delete(fallBack)) return;
          fallBack();
          if (this.#shared.isReply(error)) this.#judge(error, keyId);
          else this.#fail(error, keyId);
        },
      );
    });
  }

  #shareOf(subject: Subject): Subject {
    return { ...subject, limits: shareOf(subject.limits, this.#options.nodes) };
  }

  readonly #tick = (): void => {
    this.#nextTick = undefined;
    if (this.#waiting.size === 0) return;
    this.#silentTicks += 1;
    if (this.#silentTicks <= this.#options.patience) this.#nextTick = setTimeout(this.#tick, TICK);
    else this.#fail(new Error(`no answer for ${TICK * this.#options.patience} ms`), "");
  };

  /** Finds out whether a request failed because of its key, or because all would. */
  async #judge(error: unknown, keyId: string): Promise<void> {
    try {
      await this.#shared.probe(keyId);
    } catch {
      this.#fail(error, keyId);
      return;
    }
    if (this.#failedAt !== undefined) return;
    this.#countedLocally = 0;
    if (this.#failedKeys.has(keyId)) return;
    this.#failedKeys.add(keyId);
    this.#options.onKeyFailure(error, keyId);
  }

  #fail(error: unknown, keyId: string): void {
    if (this.#failedAt === undefined) {
      this.#failedAt = performance.now();
      this.#failedKey = keyId;
      this.fallbacks.total += 1;
      this.fallbacks.isActive = true;
      this.#options.onFailure(error);
      this.#probes = setInterval(() => this.#probe(), PROBE_INTERVAL);
    }
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const fallBack of waiting) fallBack();
  }

  /** One answer in time is enough: a further failure is detected as fast. */
  async #probe(): Promise<void> {
    const startedAt = performance.now();
    try {
      await this.#shared.probe(this.#failedKey);
    } catch {
      return;
    }
    if (this.#failedAt === undefined || performance.now() - startedAt > TICK * this.#options.patience) return;
    clearInterval(this.#probes);
    const duration = performance.now() - this.#failedAt;
    this.#failedAt = undefined;
    this.fallbacks.isActive = false;
    this.#options.onReturn(this.#countedLocally, Math.round(duration));
    this.#countedLocally = 0;
  }
}
