import { type Clock, onAbort } from "./clock.ts";
import { type RateLimits, type RateLimitWindow, reportsIn } from "./limits.ts";
import type { WaitEvent } from "./options.ts";

/** A window whose end lies between `earliest` and `latest` (Unix ms). */
type Window = { limit: number; remaining: number; earliest: number; latest: number };

/** Tracks a key's windows by the responses so far, which may arrive in any order. */
export class LimitTracker {
  readonly #windows = new Map<string, Window>();
  /** Whether the last response had no limit headers. */
  #isUnreported = false;
  /** Requests without a response since the last response to a request sent after them; and when the last of them ended. */
  #lost = 0;
  #lostAt = 0;

  /** Updates the windows by a response. `sent` and `now` are when its request was sent and when it arrived (Unix ms). */
  update(headers: Headers, sent: number, now: number): void {
    const reports = reportsIn(headers, now);
    this.#isUnreported = reports.length === 0;
    if (sent >= this.#lostAt) this.#lost = 0;
    for (const [name, { latest }] of this.#windows) if (now >= latest) this.#windows.delete(name);
    for (const { name, seconds, ...state } of reports) {
      const reported = { ...state, earliest: sent + (seconds - 1) * 1000, latest: now + seconds * 1000 };
      const known = this.#windows.get(name);
      if (known === undefined || reported.earliest > known.latest) this.#windows.set(name, reported);
      else if (reported.latest >= known.earliest) this.#windows.set(name, merged(known, reported));
    }
  }

  /** Records a request that ended at `now` (Unix ms) without a response: the service may or may not have counted it. */
  recordLost(now: number, cost = 1): void {
    this.#lost += cost;
    this.#lostAt = now;
  }

  /**
   * Returns when the next request may be sent (Unix ms), which counts as `cost`, while others that count as `inFlight` are: at
   * once if that is not later than `now`; after a response to one of them if that is Infinity. While the state of the window is
   * unknown, or lost requests may have been counted, only one request is in flight.
   */
  nextSendAt(inFlight: number, now: number, cost = 1): number {
    const first = inFlight === 0 ? now : Number.POSITIVE_INFINITY;
    const taken = inFlight + this.#lost;
    if (this.#windows.size === 0) return this.#isUnreported ? now : first;
    const times = [...this.#windows.values()].map(({ remaining, latest }) => {
      if (now >= latest) return first;
      if (remaining >= taken + cost) return now;
      return remaining >= cost ? first : latest;
    });
    return Math.max(...times);
  }

  /** Whether the calls wait for the limit per day. */
  get isDayUsedUp(): boolean {
    return this.#windows.get("day")?.remaining === 0;
  }

  /** The limits in the last responses. */
  get limits(): RateLimits {
    const state = ([name, { limit, remaining, latest }]: [string, Window]): [string, RateLimitWindow] => [
      name,
      { limit, remaining, resetAt: new Date(latest) },
    ];
    return Object.fromEntries([...this.#windows].map(state));
  }
}

/** Merges two reports on one window: fewer remaining requests win, unless the limit changed; its end is in both ranges. */
function merged(known: Window, reported: Window): Window {
  return {
    ...reported,
    remaining: known.limit === reported.limit ? Math.min(known.remaining, reported.remaining) : reported.remaining,
    earliest: Math.max(known.earliest, reported.earliest),
    latest: Math.min(known.latest, reported.latest),
  };
}

/**
 * A call in the queue, until `deadline` (Unix ms) at most. `resolve` gets 0 when the call may be sent, or the ms that it
 * would have to wait when they end after the deadline.
 */
type QueuedCall = { cost: number; deadline: number; resolve: (ms: number) => void; reject: (reason: unknown) => void };

/** A queue that admits requests in order, and never more at a time than the limits allow. */
export class Throttle {
  readonly #tracker: LimitTracker;
  readonly #clock: Clock;
  readonly #onWait: (event: WaitEvent) => void;
  #queue: QueuedCall[] = [];
  #inFlight = 0;
  /** While all calls wait for the limits: until when (Unix ms), and how to end the wait early. */
  #wait: { until: number; controller: AbortController } | undefined;

  constructor(tracker: LimitTracker, clock: Clock, onWait: (event: WaitEvent) => void = () => {}) {
    this.#tracker = tracker;
    this.#clock = clock;
    this.#onWait = onWait;
  }

  /**
   * Resolves with 0 when a request may be sent that counts as `cost`; call `release` after it. Resolves at once with the
   * milliseconds to wait if they end after `deadline`. @throws the signal's reason
   */
  acquire(deadline: number, signal?: AbortSignal, cost = 1): Promise<number> {
    let ignoreAbort = () => {};
    return new Promise<number>((resolve, reject) => {
      signal?.throwIfAborted();
      const call: QueuedCall = { cost, deadline, resolve, reject };
      ignoreAbort = onAbort(signal, () => {
        this.#queue = this.#queue.filter((other) => other !== call);
        reject(signal?.reason);
        this.#admit();
      });
      if (this.#wait !== undefined && this.#wait.until > deadline) {
        return resolve(Math.max(1, this.#wait.until - this.#clock.now()));
      }
      this.#queue.push(call);
      if (!this.#wait) this.#admit();
    }).finally(() => {
      ignoreAbort();
    });
  }

  /** Ends an admitted request. Record its result in the tracker first. */
  release(cost = 1): void {
    this.#inFlight -= cost;
    this.#admit();
  }

  #admit(): void {
    for (let next = this.#queue[0]; next; next = this.#queue[0]) {
      const now = this.#clock.now();
      const nextSendAt = this.#tracker.nextSendAt(this.#inFlight, now, next.cost);
      if (nextSendAt > now) {
        if (nextSendAt !== this.#wait?.until) this.#waitUntil(nextSendAt, now);
        return;
      }
      this.#inFlight += next.cost;
      this.#queue.shift();
      next.resolve(0);
    }
    this.#endWait();
  }

  /** Admits no call until then. With Infinity, the next `release` admits calls. */
  #waitUntil(nextSendAt: number, now: number): void {
    this.#endWait();
    if (nextSendAt === Number.POSITIVE_INFINITY) return;
    const late = this.#queue.filter(({ deadline }) => nextSendAt > deadline);
    this.#queue = this.#queue.filter(({ deadline }) => nextSendAt <= deadline);
    for (const { resolve } of late) resolve(nextSendAt - now);
    if (this.#queue.length === 0) return;

    const wait = { until: nextSendAt, controller: new AbortController() };
    this.#wait = wait;
    const event = { delay: nextSendAt - now, calls: this.#queue.length };
    // In a microtask: if it throws, no call is lost.
    queueMicrotask(() => this.#onWait(event));
    const afterWait = (run: () => void) => {
      // The wait ended early: nothing is left to do.
      if (this.#wait !== wait) return;
      this.#wait = undefined;
      run();
    };
    this.#clock.sleep(nextSendAt - now, wait.controller.signal).then(
      () => afterWait(() => this.#admit()),
      // The clock cannot sleep: no call would ever be admitted.
      (reason) =>
        afterWait(() => {
          for (const { reject } of this.#queue.splice(0)) reject(reason);
        }),
    );
  }

  #endWait(): void {
    this.#wait?.controller.abort();
    this.#wait = undefined;
  }
}
