import type { Clock } from "../../domain/clock.ts";
import { addressQuotas, takeFromAddress } from "../../domain/limits/address.ts";
import type { Decision, Quotas } from "../../domain/limits/limiter.ts";
import type { Window } from "../../domain/limits/window.ts";

/** About 15 MB: an attacker with more addresses cannot fill the memory. */
const MAX_ADDRESSES = 100_000;

/** The limit of requests without a valid key, by client address, counted in this process. */
export class AddressLimiter {
  readonly #clock: Clock;
  readonly #perMinute: number;
  /** In the order in which the windows opened. */
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

  /** What the address has left. Reading it counts nowhere. */
  quotas(address: string): Quotas {
    return addressQuotas(this.#windows.get(address), this.#perMinute, this.#clock());
  }

  /** Drops the oldest windows as long as they are over, or there are too many. */
  #makeRoom(now: number): void {
    for (const [address, { resetAt }] of this.#windows) {
      if (resetAt * 1000 > now && this.#windows.size < MAX_ADDRESSES) return;
      this.#windows.delete(address);
    }
  }
}
