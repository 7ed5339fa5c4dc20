import type { Clock } from "../../domain/clock.ts";
import { takeFromAddress } from "../../domain/limits/address.ts";
import type { Decision } from "../../domain/limits/limiter.ts";
import type { Window } from "../../domain/limits/window.ts";

/** Takes about 15 MB. The bound protects against attackers with many addresses. */
const MAX_ADDRESSES = 100_000;

/** Limits requests without a valid key by client address. Counts in this process. */
export class AddressLimiter {
  readonly #clock: Clock;
  readonly #perMinute: number;
  /** In the order in which they opened. */
  readonly #windows = new Map<string, Window>();

  constructor(clock: Clock, perMinute: number) {
    this.#clock = clock;
    this.#perMinute = perMinute;
  }

  take(address: string): Decision {
    const now = this.#clock();
    const before = this.#windows.get(address);
    const { window, decision } = takeFromAddress(before, this.#perMinute, now);
    if (before?.resetAt !== window.resetAt) {
      this.#windows.delete(address);
      this.#makeRoom(now);
    }
    this.#windows.set(address, window);
    return decision;
  }

  /** Removes the oldest windows while they have ended or there are too many. */
  #makeRoom(now: number): void {
    for (const [address, { resetAt }] of this.#windows) {
      if (resetAt * 1000 > now && this.#windows.size < MAX_ADDRESSES) return;
      this.#windows.delete(address);
    }
  }
}
