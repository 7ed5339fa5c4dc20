import { type Handover, reconciled } from "../../domain/limits/fallback-counts.ts";
import { type ChangedStates, LimitStates } from "../../domain/limits/limit-states.ts";
import type { LimitBackend, MinuteLimiter } from "../../domain/limits/limiter.ts";
import {
  type Decision,
  isOver,
  type LimitState,
  type LimitStatus,
  limitStatusOf,
  type Quotas,
  type Subject,
  take,
  takeFromWindow,
  takeInPlace,
  type Window,
  windowQuotas,
} from "../../domain/limits/limits.ts";
import type { Clock } from "../../domain/time.ts";

/** How many states a sweep looks at. They have no effect any more: some hours later is early enough. */
const SWEPT_AT_ONCE = 2_000;

export class MemoryLimiter implements LimitBackend {
  readonly fallbacks = { total: 0, isActive: false, requests: 0 };
  readonly server = undefined;
  readonly #clock: Clock;
  readonly #states: LimitStates;
  #unswept: Iterator<[id: string, LimitState]>;

  /** `states`: the saved limit states. */
  constructor(clock: Clock, states: LimitStates = new LimitStates()) {
    this.#clock = clock;
    this.#states = states;
    this.#unswept = this.#states[Symbol.iterator]();
  }

  takeAtOnce(subject: Subject, cost = 1): Decision | undefined {
    const inPlace = this.#takeInPlace(subject, cost);
    if (inPlace !== undefined) return inPlace;
    const { state, decision } = this.#taken(subject, cost);
    if (decision.outcome !== "allowed") return undefined;
    this.replaceState(subject.id, state);
    return decision;
  }

  take(subject: Subject, cost = 1): Decision {
    const inPlace = this.#takeInPlace(subject, cost);
    if (inPlace !== undefined) return inPlace;
    const { state, decision } = this.#taken(subject, cost);
    this.replaceState(subject.id, state);
    return decision;
  }

  status(subject: Subject): LimitStatus {
    return limitStatusOf(this.#states.get(subject.id), subject, this.#clock());
  }

  sharedStatus(subject: Subject): LimitStatus {
    return this.status(subject);
  }

  stateOf(id: string): LimitState | undefined {
    return this.#states.get(id);
  }

  replaceState(id: string, state: LimitState): void {
    this.#states.set(id, state);
  }

  add(subject: Subject, handover: Handover): void {
    this.replaceState(subject.id, reconciled(this.#states.get(subject.id), { subject, handover }, this.#clock()));
  }

  /** They go on counting. */
  drain(): ChangedStates {
    return this.#states.drain();
  }

  requeue(places: Iterable<number>): void {
    this.#states.requeue(places);
  }

  /** With many keys each call looks at some, and the next one goes on. */
  sweep(): void {
    const now = this.#clock();
    for (let looked = 0; looked < SWEPT_AT_ONCE; looked++) {
      const next = this.#unswept.next();
      if (next.done === true) {
        this.#unswept = this.#states[Symbol.iterator]();
        return;
      }
      const [id, state] = next.value;
      if (isOver(state, now)) this.#states.delete(id);
    }
  }

  close(): void {}

  #takeInPlace({ id, limits }: Subject, cost: number): Decision | undefined {
    const state = this.#states.get(id);
    if (state === undefined) return undefined;
    const decision = takeInPlace(state, limits, this.#clock(), cost);
    if (decision !== undefined) this.replaceState(id, state);
    return decision;
  }

  #taken(subject: Subject, cost: number) {
    return take(this.#states.get(subject.id), subject, this.#clock(), cost);
  }
}

/** Takes about 15 MB. The bound protects against attackers with many addresses. */
const MAX_WINDOWS = 100_000;

/** Limits requests per minute by a name, such as a client address. Counts in this process. */
export class MemoryMinuteLimiter implements MinuteLimiter {
  readonly #clock: Clock;
  readonly #perMinute: number;
  /** In the order in which they opened. */
  readonly #windows = new Map<string, Window>();

  constructor(clock: Clock, perMinute: number) {
    this.#clock = clock;
    this.#perMinute = perMinute;
  }

  take(name: string): Decision {
    const now = this.#clock();
    const before = this.#windows.get(name);
    const { window, decision } = takeFromWindow(before, this.#perMinute, now);
    if (before?.resetAt !== window.resetAt) {
      this.#windows.delete(name);
      this.#makeRoom(now);
    }
    this.#windows.set(name, window);
    return decision;
  }

  quotas(name: string): Quotas {
    return windowQuotas(this.#windows.get(name), this.#perMinute, this.#clock());
  }

  refund(name: string): void {
    const window = this.#windows.get(name);
    if (window !== undefined) this.#windows.set(name, { ...window, count: Math.max(0, window.count - 1) });
  }

  forget(name: string): void {
    this.#windows.delete(name);
  }

  /** Removes the oldest windows while they have ended or there are too many. */
  #makeRoom(now: number): void {
    for (const [name, { resetAt }] of this.#windows) {
      if (resetAt * 1000 > now && this.#windows.size < MAX_WINDOWS) return;
      this.#windows.delete(name);
    }
  }
}
