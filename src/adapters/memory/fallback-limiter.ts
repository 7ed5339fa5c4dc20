import type { Awaitable } from "../../domain/awaitable.ts";
import type { FallbackCounts, SeenState } from "../../domain/limits/fallback-counts.ts";
import { type ChangedStates, LimitStates } from "../../domain/limits/limit-states.ts";
import type { LimitBackend, Limiter, LimitServer, SharedLimiter } from "../../domain/limits/limiter.ts";
import type { Decision, LimitStatus, Subject } from "../../domain/limits/limits.ts";
import type { Clock } from "../../domain/time.ts";

/** In ms. Silence is counted in ticks instead of time: on a busy machine ticks are late, and so are answers. */
const TICK = 10;
/** How often a failed limiter is probed, in ms. */
const PROBE_INTERVAL = 250;
const HANDOVERS = 200;
/** The same of states that are restored: all nodes do so at once. */
const RESTORED_AT_ONCE = 20;
/** How often it is checked whether a shard still has the key that it answered for last, in ms. */
const CHECK_INTERVAL = 1_000;
/** The least time between two times that all states are restored, in ms. */
const RESTORE_INTERVAL = 10_000;

type FallbackOptions = {
  /** Counts for several processes. */
  shared: SharedLimiter;
  /** What requests call in place of `shared`: the same with instrumentation. */
  observed?: Pick<SharedLimiter, "take" | "takeAtOnce" | "status"> | undefined;
  /** Counts for this process while `shared` fails. */
  counts: FallbackCounts;
  clock: Clock;
  /** A shard counts as failed after so many ms without an answer while requests wait. */
  patience: number;
  /** Called when a shard fails, and when it works again: with the requests counted alone and the duration (ms). */
  onFailure: (error: unknown, shard: string) => void;
  onReturn: (requests: number, milliseconds: number, shard: string) => void;
  /** Called when `shared` fails for this key alone, until it works for it again. */
  onKeyFailure: (error: unknown, keyId: string) => void;
};

/** A circuit breaker: whether a shard has failed. */
type Shard = {
  readonly name: string;
  /** For each request that waits for the shard: a function that decides it alone. */
  readonly waiting: Set<() => void>;
  silentTicks: number;
  nextTick: ReturnType<typeof setTimeout> | undefined;
  /** By the clock of this process. */
  failedAt: number | undefined;
  failedKey: string;
  lastKey: string;
  /** The requests decided alone since then. */
  requests: number;
  probes: ReturnType<typeof setInterval> | undefined;
  isReturning: boolean;
};

/** `onAnswer`: called with the answer of `shared`, also with one that is too late. */
type Asked<T> = { shared: () => Awaitable<T>; alone: () => T; onAnswer: (answer: T, isLate: boolean) => void };

/**
 * Counts with the shared limiter, and in this process while that fails, or while the shard fails that has the key.
 * A shard fails for all requests at once: when it answers no request for a while, or throws without an answer of its server,
 * or the server refuses another key too. A timeout per request would take a burst of requests for a failure. What was counted
 * here is handed over before a decision of the shared limiter is used again.
 */
export class FallbackLimiter implements LimitBackend {
  readonly fallbacks = { total: 0, isActive: false, requests: 0 };
  readonly takeAtOnce: Limiter["takeAtOnce"];
  readonly #options: FallbackOptions;
  readonly #shared: SharedLimiter;
  readonly #observed: NonNullable<FallbackOptions["observed"]>;
  readonly #counts: FallbackCounts;
  readonly #clock: Clock;
  readonly #shards = new Map<string, Shard>();
  /** The keys for which alone the shared limiter fails, and since when. */
  readonly #failedKeys = new Map<string, number>();
  #isLost = false;
  #isClosed = false;
  #restoredAt = Number.NEGATIVE_INFINITY;
  readonly #checks: ReturnType<typeof setInterval>;

  constructor(options: FallbackOptions) {
    const { shared, observed = shared, counts, clock } = options;
    this.#options = options;
    this.#shared = shared;
    this.#observed = observed;
    this.#counts = counts;
    this.#clock = clock;
    this.takeAtOnce = observed.takeAtOnce;
    shared.onLoss(() => {
      this.#isLost = true;
      void this.#restore();
    });
    this.#checks = setInterval(() => this.#check(), CHECK_INTERVAL);
    this.#checks.unref();
  }

  get server(): LimitServer | undefined {
    return this.#shared.server;
  }

  /** Starts alone, until the shared limiter answers. */
  startLocally(error: unknown): void {
    this.#fail(this.#shardOf(""), error, "");
  }

  take(subject: Subject, cost = 1): Awaitable<Decision> {
    const atOnce = this.takeAtOnce?.(subject, cost);
    if (atOnce !== undefined) return atOnce;
    const { id } = subject;
    const shard = this.#shardOf(id);
    if (shard.failedAt !== undefined) return this.#takeAlone(subject, cost, shard);
    return this.#ask(shard, id, {
      shared: () => this.#afterHandover(id, () => this.#observed.take(subject, cost, this.#counts.seenOf(id))),
      alone: () => this.#takeAlone(subject, cost, shard),
      onAnswer: (decision, isLate) => {
        if (isLate) this.#counts.observeLate(id, decision, cost);
        else this.#counts.observe(id, decision, this.#clock());
        shard.lastKey = id;
      },
    });
  }

  status(subject: Subject): Awaitable<LimitStatus> {
    const { id } = subject;
    const shard = this.#shardOf(id);
    if (shard.failedAt !== undefined) return this.#statusAlone(subject);
    return this.#ask(shard, id, {
      shared: () => this.#afterHandover(id, () => this.#observed.status(subject)),
      alone: () => this.#statusAlone(subject),
      onAnswer: () => {},
    });
  }

  sharedStatus(subject: Subject): Awaitable<LimitStatus> {
    return this.#shared.status(subject);
  }

  /** Counts of this process mean nothing to the next one. */
  drain(): ChangedStates {
    return { states: new LimitStates(), places: [] };
  }

  requeue(): void {}

  /** Also hands over what no request has: of keys that failed alone, or whose shard is another one now. */
  sweep(): void {
    this.#counts.sweep(this.#clock());
    for (const shard of this.#shards.values()) {
      if (shard.failedAt === undefined) this.#handOver(shard).catch(() => {});
    }
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#checks);
    for (const { probes, nextTick } of this.#shards.values()) {
      clearInterval(probes);
      clearTimeout(nextTick);
    }
    this.#shared.close();
  }

  #takeAlone(subject: Subject, cost: number, shard: Shard): Decision {
    const { id } = subject;
    shard.requests += 1;
    this.fallbacks.requests += 1;
    const now = this.#clock();
    this.#learn(id, now);
    return this.#counts.take(subject, shard.failedAt ?? this.#failedKeys.get(id) ?? now, now, cost);
  }

  #statusAlone(subject: Subject): LimitStatus {
    const now = this.#clock();
    this.#learn(subject.id, now);
    return this.#counts.status(subject, now);
  }

  #learn(id: string, now: number): void {
    const state = this.#shared.stateOf(id);
    if (state !== undefined) this.#counts.learn(id, state, now);
  }

  /** Calls `ask` after the shared limiter has what was counted here. */
  #afterHandover<T>(id: string, ask: () => Awaitable<T>): Awaitable<T> {
    return this.#counts.isOpen(id) ? this.#handOverKey(id).then(ask) : ask();
  }

  /** @throws as the shared limiter does */
  async #handOverKey(id: string): Promise<void> {
    for (let open = this.#counts.handoverOf(id); open !== undefined; open = this.#counts.handoverOf(id)) {
      const decision = await this.#shared.reconcile(open);
      this.#counts.accept(id, open.handover, decision, this.#clock());
    }
  }

  /** Hands over what was counted for keys of a shard, but of those whose data is damaged. @throws when it does not answer */
  async #handOver(shard: Shard): Promise<void> {
    const keys = this.#counts.openKeys().filter((id) => this.#shardOf(id) === shard);
    for (let i = 0; i < keys.length; i += HANDOVERS) {
      const results = await Promise.allSettled(keys.slice(i, i + HANDOVERS).map((id) => this.#handOverKey(id)));
      for (const result of results) {
        if (result.status === "rejected" && !this.#shared.isReply(result.reason)) throw result.reason;
      }
    }
  }

  /** A server that lost its data is noticed without requests too: others may come to other nodes. */
  #check(): void {
    for (const { lastKey, failedAt } of this.#shards.values()) {
      const seen = failedAt === undefined ? this.#counts.seenOf(lastKey) : undefined;
      if (seen !== undefined) this.#restoreKey(lastKey, seen).catch(() => {});
    }
    void this.#restore();
  }

  /** Restores what was seen of all keys if something of one was lost; again later if more was lost meanwhile. */
  async #restore(): Promise<void> {
    const now = this.#clock();
    if (!this.#isLost || now - this.#restoredAt < RESTORE_INTERVAL) return;
    this.#isLost = false;
    this.#restoredAt = now;
    let batch: Promise<void>[] = [];
    try {
      for (const [id, seen] of this.#counts.seenStates(now)) {
        batch.push(this.#restoreKey(id, seen));
        if (batch.length < RESTORED_AT_ONCE) continue;
        await Promise.all(batch);
        batch = [];
      }
      await Promise.all(batch);
    } catch {
      this.#isLost = true;
      this.#restoredAt = Number.NEGATIVE_INFINITY;
    }
  }

  /** Restores nothing of a key whose data is damaged. @throws when the shared limiter does not answer */
  async #restoreKey(id: string, seen: SeenState): Promise<void> {
    try {
      await this.#shared.restore(id, seen);
    } catch (error) {
      if (!this.#shared.isReply(error)) throw error;
    }
  }

  /** Returns the answer of `shared`, or of `alone` when the shard has failed. */
  #ask<T>(shard: Shard, keyId: string, { shared, alone, onAnswer }: Asked<T>): Promise<T> {
    return new Promise((resolve) => {
      const { waiting } = shard;
      const fallBack = () => resolve(alone());
      if (waiting.size === 0) shard.silentTicks = 0;
      waiting.add(fallBack);
      if (shard.nextTick === undefined) this.#wait(shard);
      Promise.try(shared).then(
        (answer) => {
          shard.silentTicks = 0;
          if (this.#failedKeys.size > 0) this.#failedKeys.delete(keyId);
          const isLate = !waiting.delete(fallBack);
          onAnswer(answer, isLate);
          if (!isLate) resolve(answer);
        },
        (error) => {
          if (!waiting.delete(fallBack)) return;
          fallBack();
          if (this.#shared.isReply(error)) void this.#judge(shard, error, keyId);
          else this.#fail(shard, error, keyId);
        },
      );
    });
  }

  #shardOf(keyId: string): Shard {
    const name = this.#shared.shardOf(keyId);
    const known = this.#shards.get(name);
    if (known !== undefined) return known;
    const shard: Shard = {
      name,
      waiting: new Set(),
      silentTicks: 0,
      nextTick: undefined,
      failedAt: undefined,
      failedKey: "",
      lastKey: "",
      requests: 0,
      probes: undefined,
      isReturning: false,
    };
    this.#shards.set(name, shard);
    return shard;
  }

  #wait(shard: Shard): void {
    shard.nextTick = setTimeout(() => this.#tick(shard), TICK);
  }

  #tick(shard: Shard): void {
    const { patience } = this.#options;
    shard.nextTick = undefined;
    if (shard.waiting.size === 0) return;
    shard.silentTicks += 1;
    if (shard.silentTicks * TICK <= patience) this.#wait(shard);
    else this.#fail(shard, new Error(`no answer for ${patience} ms`), "");
  }

  /** Finds out whether a request failed because of its key, or because all would. */
  async #judge(shard: Shard, error: unknown, keyId: string): Promise<void> {
    try {
      await this.#shared.probe(keyId);
    } catch {
      this.#fail(shard, error, keyId);
      return;
    }
    if (shard.failedAt !== undefined) return;
    shard.requests = 0;
    if (this.#failedKeys.has(keyId)) return;
    this.#failedKeys.set(keyId, this.#clock());
    this.#options.onKeyFailure(error, keyId);
  }

  #fail(shard: Shard, error: unknown, keyId: string): void {
    // What is asked when the connection is closed fails, and nothing is there to return to.
    if (shard.failedAt === undefined && !this.#isClosed) {
      shard.failedAt = this.#clock();
      shard.failedKey = keyId;
      this.fallbacks.total += 1;
      this.fallbacks.isActive = true;
      this.#options.onFailure(error, shard.name);
      shard.probes = setInterval(() => this.#probe(shard), PROBE_INTERVAL);
    }
    const waiting = [...shard.waiting];
    shard.waiting.clear();
    for (const fallBack of waiting) fallBack();
  }

  /** One answer in time is enough: a further failure is detected as fast. */
  async #probe(shard: Shard): Promise<void> {
    const startedAt = performance.now();
    try {
      await this.#shared.probe(shard.failedKey);
      if (shard.isReturning || performance.now() - startedAt > this.#options.patience) return;
      shard.isReturning = true;
      await this.#handOver(shard);
    } catch {
      shard.isReturning = false;
      return;
    }
    shard.isReturning = false;
    if (shard.failedAt === undefined) return;
    clearInterval(shard.probes);
    const duration = this.#clock() - shard.failedAt;
    shard.failedAt = undefined;
    this.fallbacks.isActive = [...this.#shards.values()].some(({ failedAt }) => failedAt !== undefined);
    this.#options.onReturn(shard.requests, Math.round(duration), shard.name);
    shard.requests = 0;
    // Requests were counted alone while the others were handed over.
    this.#handOver(shard).catch(() => {});
  }
}
