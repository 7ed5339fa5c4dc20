import type { Awaitable } from "../../domain/awaitable.ts";
import type { Deployment } from "../../domain/deployment.ts";
import type { FoundKey } from "../../domain/keys/key.ts";
import { formOf, hashOf } from "../../domain/keys/secret.ts";
import type { KeyStore } from "../../domain/keys/store.ts";
import { LruMap } from "../../domain/lru-map.ts";

const MAX_KEYS = 200_000;

/**
 * Caches the keys of a store in this process by their secrets, so that none is hashed twice. Exact, because it forgets a key
 * that this process changes, and all keys when the revision changes, which another process's changes do and which is
 * checked for every request. Unknown keys are not cached.
 */
export class LocalKeyCache {
  readonly #deployment: Deployment;
  readonly #find: (hash: string) => FoundKey | undefined;
  readonly #revision: () => number;
  readonly #keys = new LruMap<FoundKey>(MAX_KEYS);
  #revisionOfKeys = -1;
  /** Look-ups that the cache answered, and those that the store answered. */
  hits = 0;
  misses = 0;

  constructor(deployment: Deployment, find: (hash: string) => FoundKey | undefined, revision: () => number) {
    this.#deployment = deployment;
    this.#find = find;
    this.#revision = revision;
  }

  /** @throws service_unavailable when the key is not cached and the store cannot be read */
  find(secret: string): FoundKey | undefined {
    const revision = this.#revision();
    if (revision !== this.#revisionOfKeys) {
      this.clear();
      this.#revisionOfKeys = revision;
    }
    const cached = this.#keys.get(secret);
    if (cached !== undefined) {
      this.hits += 1;
      return cached;
    }
    if (formOf(secret, this.#deployment) !== "genuine") return undefined;
    this.misses += 1;
    const found = this.#find(hashOf(secret));
    if (found !== undefined) this.#keys.set(secret, found);
    return found;
  }

  /** Drops a key, which this process has changed. */
  forget(keyId: string): void {
    this.#keys.deleteWhere(({ key }) => key.id === keyId);
  }

  /** Drops all keys: this process has deleted some. */
  clear(): void {
    this.#keys.clear();
  }
}

type Found = FoundKey | undefined;
/** The result of a look-up that began at `startedAt` (ms). */
type Entry = { startedAt: number; found: Found };

/** The largest age of an entry in ms, so that every node refuses a revoked key within 1 s. */
const MAX_AGE = 900;
/** From this age in ms, the next request refreshes the entry in the background. */
const REFRESH_AGE = 450;
/** More than a process can serve in that time. */
const MAX_TIMED_KEYS = 20_000;

/** Caches the keys of a remote store by their secrets for less than a second. Unknown keys are not cached. */
export class TimedKeyCache {
  readonly #deployment: Deployment;
  readonly #find: KeyStore["findBySecret"];
  readonly #entries = new LruMap<Entry>(MAX_TIMED_KEYS);
  readonly #pending = new Map<string, { startedAt: number; result: Promise<Found> }>();
  /** When this process last changed a key. */
  #changedAt = -Infinity;
  /** Look-ups that the cache answered, and those that waited for the store. */
  hits = 0;
  misses = 0;

  constructor(deployment: Deployment, find: KeyStore["findBySecret"]) {
    this.#deployment = deployment;
    this.#find = find;
  }

  /** @throws service_unavailable when the key is not cached, or too old, and the store cannot be reached */
  find(secret: string): Awaitable<Found> {
    const entry = this.#entries.get(secret);
    const age = entry === undefined ? Infinity : performance.now() - entry.startedAt;
    if (entry === undefined || age >= MAX_AGE) {
      if (formOf(secret, this.#deployment) !== "genuine") return undefined;
      this.misses += 1;
      return this.#lookUpOnce(secret);
    }
    this.hits += 1;
    if (age >= REFRESH_AGE) this.#lookUpOnce(secret).catch(() => {}); // the first request after MAX_AGE gets the error
    return entry.found;
  }

  /** Drops a key, which this process has changed. A look-up that began before the change is not cached either. */
  forget(keyId: string): void {
    this.#entries.deleteWhere(({ found }) => found?.key.id === keyId);
    this.#pending.clear();
    this.#changedAt = performance.now();
  }

  /** Concurrent requests for a key share one look-up. */
  #lookUpOnce(secret: string): Promise<Found> {
    const now = performance.now();
    const pending = this.#pending.get(secret);
    if (pending !== undefined && now - pending.startedAt < MAX_AGE) return pending.result;
    const started = { startedAt: now, result: this.#lookUp(secret, now) };
    this.#pending.set(secret, started);
    const done = () => {
      if (this.#pending.get(secret) === started) this.#pending.delete(secret);
    };
    started.result.then(done, done);
    return started.result;
  }

  async #lookUp(secret: string, startedAt: number): Promise<Found> {
    const found = await this.#find(hashOf(secret));
    if (startedAt <= this.#changedAt) return found;
    this.#entries.delete(secret);
    if (found === undefined) return undefined;
    this.#entries.set(secret, { startedAt, found });
    return found;
  }
}
