import { onAbort } from "./abort.ts";
import type { Clock } from "./clock.ts";
import type { WaitEvent } from "./events.ts";
import type { LimitTracker } from "./limit-tracker.ts";

/**
 * A call in the queue, until `deadline` (Unix ms) at most. `resolve` gets 0 when the call may be sent, or the ms that it
 * would have to wait when they end after the deadline.
 */
type QueuedCall = { deadline: number; resolve: (ms: number) => void; reject: (reason: unknown) => void };

/** A queue that admits requests in order, and never more at a time than the limits allow. */
export class Throttle {
  readonly #tracker: LimitTracker;
  readonly #clock: Clock;
  readonly #onWait: ((event: WaitEvent) => void) | undefined;
  #queue: QueuedCall[] = [];
  #inFlight = 0;
  /** While all calls wait for the limits: until when (Unix ms), and how to end the wait early. */
  #wait: { until: number; controller: AbortController } | undefined;

  constructor(tracker: LimitTracker, clock: Clock, onWait?: (event: WaitEvent) => void) {
    this.#tracker = tracker;
    this.#clock = clock;
    this.#onWait = onWait;
  }

  /**
   * Resolves with 0 when a request may be sent; call `release` after it. Resolves at once with the milliseconds to wait
   * if they end after `deadline`. @throws the signal's reason
   */
  acquire(deadline: number, signal?: AbortSignal): Promise<number> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const ignoreAbort = onAbort(signal, () => {
        this.#queue = this.#queue.filter((other) => other !== call);
        reject(signal?.reason);
        this.#admit();
      });
      const call: QueuedCall = {
        deadline,
        resolve: (ms) => {
          ignoreAbort();
          resolve(ms);
        },
        reject: (reason) => {
          ignoreAbort();
          reject(reason);
        },
      };
      if (this.#wait !== undefined && this.#wait.until > deadline) {
        call.resolve(Math.max(1, this.#wait.until - this.#clock.now()));
        return;
      }
      this.#queue.push(call);
      if (this.#wait === undefined) this.#admit();
    });
  }

  /** Ends an admitted request. Record its result in the tracker first. */
  release(): void {
    this.#inFlight -= 1;
    this.#admit();
  }

  #admit(): void {
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      const now = this.#clock.now();
      const nextSendAt = this.#tracker.nextSendAt(this.#inFlight, now);
      if (nextSendAt > now) {
        if (nextSendAt !== this.#wait?.until) this.#waitUntil(nextSendAt, now);
        return;
      }
      this.#inFlight += 1;
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
    queueMicrotask(() => this.#onWait?.(event));
    const afterWait = (run: () => void) => {
      // The wait ended early: nothing is left to do.
      if (this.#wait !== wait) return;
      this.#wait = undefined;
      run();
    };
    this.#clock.sleep(nextSendAt - now, wait.controller.signal).then(
      () => afterWait(() => this.#admit()),
      (reason) => afterWait(() => this.#rejectAll(reason)),
    );
  }

  /** For a clock that cannot sleep: no call would ever be admitted. */
  #rejectAll(reason: unknown): void {
    for (const { reject } of this.#queue.splice(0)) reject(reason);
  }

  #endWait(): void {
    this.#wait?.controller.abort();
    this.#wait = undefined;
  }
}
