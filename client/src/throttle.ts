import type { Clock } from "./clock.ts";
import type { WaitEvent } from "./events.ts";
import type { Standing } from "./standing.ts";

/**
 * A call that waits for its turn, until `deadline` (Unix ms) at most. It is answered with the ms that it would have to
 * wait longer than that, 0 when it is its turn.
 */
type Waiting = { deadline: number; answer: (ms: number) => void; fail: (reason: unknown) => void };

/** Lets requests through in the order they came, and no more at a time than the limits have left. */
export class Throttle {
  readonly #standing: Standing;
  readonly #clock: Clock;
  readonly #onWait: ((event: WaitEvent) => void) | undefined;
  #queue: Waiting[] = [];
  #underWay = 0;
  /** While everything waits for the limits: until when (Unix ms), and what wakes it earlier. */
  #nap: { until: number; alarm: AbortController } | undefined;

  constructor(standing: Standing, clock: Clock, onWait?: (event: WaitEvent) => void) {
    this.#standing = standing;
    this.#clock = clock;
    this.#onWait = onWait;
  }

  /**
   * Resolves with 0 when a request may be sent, after which `leave` has to be called; or, without waiting, with the
   * milliseconds that it would have to wait when those end after `deadline`. @throws the signal's reason
   */
  enter(deadline: number, signal?: AbortSignal): Promise<number> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const ended = () => signal?.removeEventListener("abort", abort);
      const waiting: Waiting = {
        deadline,
        answer: (ms) => {
          ended();
          resolve(ms);
        },
        fail: (reason) => {
          ended();
          reject(reason);
        },
      };
      const abort = () => {
        this.#queue = this.#queue.filter((other) => other !== waiting);
        reject(signal?.reason);
        this.#pump();
      };
      signal?.addEventListener("abort", abort, { once: true });
      if (this.#nap !== undefined && this.#nap.until > deadline) {
        waiting.answer(Math.max(1, this.#nap.until - this.#clock.now()));
        return;
      }
      this.#queue.push(waiting);
      if (this.#nap === undefined) this.#pump();
    });
  }

  /** A request that was let through has ended, and the standing knows of it. */
  leave(): void {
    this.#underWay -= 1;
    this.#pump();
  }

  #pump(): void {
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      const now = this.#clock.now();
      const opening = this.#standing.opening(this.#underWay, now);
      if (opening > now) {
        if (opening !== this.#nap?.until) this.#waitUntil(opening, now);
        return;
      }
      this.#underWay += 1;
      this.#queue.shift();
      next.answer(0);
    }
    this.#wake();
  }

  /** Until then nobody is let through. With Infinity what is under way ends first, and that goes on with it. */
  #waitUntil(opening: number, now: number): void {
    this.#wake();
    if (opening === Number.POSITIVE_INFINITY) return;
    const late = this.#queue.filter(({ deadline }) => opening > deadline);
    this.#queue = this.#queue.filter(({ deadline }) => opening <= deadline);
    for (const { answer } of late) answer(opening - now);
    if (this.#queue.length === 0) return;

    const nap = { until: opening, alarm: new AbortController() };
    this.#nap = nap;
    const event = { delay: opening - now, calls: this.#queue.length };
    // Not from here: were it to throw, calls would be lost.
    queueMicrotask(() => this.#onWait?.(event));
    const then = (goOn: () => void) => {
      // Woken early: the caller has gone on already.
      if (this.#nap !== nap) return;
      this.#nap = undefined;
      goOn();
    };
    this.#clock.sleep(opening - now, nap.alarm.signal).then(
      () => then(() => this.#pump()),
      (reason) => then(() => this.#failAll(reason)),
    );
  }

  /** The clock cannot sleep: nobody would ever be let through. */
  #failAll(reason: unknown): void {
    for (const { fail } of this.#queue.splice(0)) fail(reason);
  }

  #wake(): void {
    this.#nap?.alarm.abort();
    this.#nap = undefined;
  }
}
