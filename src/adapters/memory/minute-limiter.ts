import type { Clock } from "../../domain/clock.ts";
import type { Decision, MinuteLimiter, Quotas } from "../../domain/limits/limiter.ts";
import { takeFromWindow, windowQuotas } from "../../domain/limits/single-window.ts";
import type { Window } from "../../domain/limits/window.ts";

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
