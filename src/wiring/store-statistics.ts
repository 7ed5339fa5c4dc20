import { setTimeout as pause } from "node:timers/promises";
import type { StoreStatistics as Statistics } from "../adapters/prometheus/metrics.ts";
import type { Clock } from "../domain/time.ts";
import type { Stores } from "./stores.ts";

/** For so long the numbers are not asked for again, in ms. */
const LIFETIME = 5_000;
/** How long a scrape waits for the store, in ms: much less than Prometheus waits for a scrape. */
const WAIT = 500;

type Source = Pick<Stores, "keys" | "pets" | "orders" | "size">;

/** What a store knows about itself. Read for scrapes, at most once in five seconds, and never for a request of a client. */
export class StoreStatistics {
  readonly #stores: Source;
  readonly #clock: Clock;
  #known: Statistics = { keys: undefined, pets: undefined, orders: undefined, databaseSize: undefined, readAt: 0 };
  #isFreshUntil = 0;
  #pending: Promise<void> | undefined;

  constructor(stores: Source, clock: Clock) {
    this.#stores = stores;
    this.#clock = clock;
  }

  /** Resolves within half a second, with what is known, when the store does not answer. */
  async current(): Promise<Statistics> {
    if (performance.now() >= this.#isFreshUntil) {
      this.#pending ??= this.#read().finally(() => {
        this.#pending = undefined;
      });
      await Promise.race([this.#pending, pause(WAIT, undefined, { ref: false })]);
    }
    return this.#known;
  }

  /** A part that fails keeps its value. */
  async #read(): Promise<void> {
    const { keys, pets, orders, size } = this.#stores;
    const now = this.#clock();
    const parts: (() => Promise<Partial<Statistics>>)[] = [
      async () => ({ keys: (await keys.counts(now)).byState }),
      async () => ({ pets: await pets.inventory() }),
      async () => ({ orders: await orders.counts() }),
      async () => ({ databaseSize: await size() }),
    ];
    const readings = await Promise.allSettled(parts.map(async (part) => this.#set(await part())));
    if (readings.some(({ status }) => status === "rejected")) return;
    this.#set({ readAt: now });
    this.#isFreshUntil = performance.now() + LIFETIME;
  }

  #set(part: Partial<Statistics>): void {
    this.#known = { ...this.#known, ...part };
  }
}
