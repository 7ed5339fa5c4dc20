import type { Awaitable } from "../../domain/awaitable.ts";
import type { KeyStore } from "../../domain/keys/store.ts";

type Found = Awaited<ReturnType<KeyStore["findBySecret"]>>;
/** A look-up that began at `askedAt` (ms): what it found is no older than that. */
type Entry = { askedAt: number; found: Found };

/** How old an answer may be, in ms: a key that ends is refused by every node within 1 s (decisions on authentication). */
const LONGEST = 900;
/** From this age on, in ms, the next one to ask has it looked up anew, without waiting. */
const RENEWED_AFTER = 450;
const MOST_KEYS = 10_000;

/** Keys from a store that is a network away, each known for less than a second. Only keys that exist are kept. */
export class TimedKeyCache {
  readonly #find: KeyStore["findBySecret"];
  readonly #entries = new Map<string, Entry>();
  readonly #asked = new Map<string, { askedAt: number; answer: Promise<Found> }>();
  /** How many look-ups were answered from here, and how many had to wait for the store. */
  hits = 0;
  misses = 0;

  constructor(find: KeyStore["findBySecret"]) {
    this.#find = find;
  }

  /** @throws service_unavailable when it is not known, or for too long, and the store cannot be reached */
  find(hash: string): Awaitable<Found> {
    const entry = this.#entries.get(hash);
    const age = entry === undefined ? Infinity : performance.now() - entry.askedAt;
    if (entry === undefined || age >= LONGEST) {
      this.misses += 1;
      return this.#ask(hash);
    }
    this.hits += 1;
    if (age >= RENEWED_AFTER) this.#ask(hash).catch(() => {}); // whoever asks when it is too old is told of the error
    return entry.found;
  }

  /** Those who ask for the same key at the same time wait for the same answer. */
  #ask(hash: string): Promise<Found> {
    const now = performance.now();
    const asked = this.#asked.get(hash);
    if (asked !== undefined && now - asked.askedAt < LONGEST) return asked.answer;
    const asking = { askedAt: now, answer: this.#lookUp(hash, now) };
    this.#asked.set(hash, asking);
    const done = () => {
      if (this.#asked.get(hash) === asking) this.#asked.delete(hash);
    };
    asking.answer.then(done, done);
    return asking.answer;
  }

  async #lookUp(hash: string, askedAt: number): Promise<Found> {
    const found = await this.#find(hash);
    this.#entries.delete(hash);
    if (found === undefined) return undefined;
    if (this.#entries.size >= MOST_KEYS) this.#entries.clear();
    this.#entries.set(hash, { askedAt, found });
    return found;
  }
}
