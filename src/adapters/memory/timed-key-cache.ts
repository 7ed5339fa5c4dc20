import type { Awaitable } from "../../domain/awaitable.ts";
import type { KeyStore } from "../../domain/keys/store.ts";

type Found = Awaited<ReturnType<KeyStore["findBySecret"]>>;
/** What a look-up found that began at `startedAt` (ms): it is no older than that. */
type Entry = { startedAt: number; found: Found };

/** How old an entry may be, in ms: every node refuses a key within 1 s of its end (decisions on authentication). */
const MAX_AGE = 900;
/** From this age on, in ms, the next request has it looked up again, without waiting. */
const RENEW_AFTER = 450;
const MAX_KEYS = 10_000;

/** Keys of a store that is a network away, each kept for less than a second. Only keys that exist are kept. */
export class TimedKeyCache {
  readonly #find: KeyStore["findBySecret"];
  readonly #entries = new Map<string, Entry>();
  readonly #pending = new Map<string, { startedAt: number; result: Promise<Found> }>();
  /** How many look-ups were answered from here, and how many had to wait for the store. */
  hits = 0;
  misses = 0;

  constructor(find: KeyStore["findBySecret"]) {
    this.#find = find;
  }

  /** @throws service_unavailable when it is not cached, or too old, and the store cannot be reached */
  find(hash: string): Awaitable<Found> {
    const entry = this.#entries.get(hash);
    const age = entry === undefined ? Infinity : performance.now() - entry.startedAt;
    if (entry === undefined || age >= MAX_AGE) {
      this.misses += 1;
      return this.#lookUpOnce(hash);
    }
    this.hits += 1;
    if (age >= RENEW_AFTER) this.#lookUpOnce(hash).catch(() => {}); // the first request after MAX_AGE gets the error
    return entry.found;
  }

  /** Requests for the same key at the same time share one look-up. */
  #lookUpOnce(hash: string): Promise<Found> {
    const now = performance.now();
    const pending = this.#pending.get(hash);
    if (pending !== undefined && now - pending.startedAt < MAX_AGE) return pending.result;
    const started = { startedAt: now, result: this.#lookUp(hash, now) };
    this.#pending.set(hash, started);
    const done = () => {
      if (this.#pending.get(hash) === started) this.#pending.delete(hash);
    };
    started.result.then(done, done);
    return started.result;
  }

  async #lookUp(hash: string, startedAt: number): Promise<Found> {
    const found = await this.#find(hash);
    this.#entries.delete(hash);
    if (found === undefined) return undefined;
    if (this.#entries.size >= MAX_KEYS) this.#entries.clear();
    this.#entries.set(hash, { startedAt, found });
    return found;
  }
}
