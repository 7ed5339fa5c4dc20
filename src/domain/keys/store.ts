import type { Entry } from "../audit/entry.ts";
import type { Awaitable } from "../awaitable.ts";
import type { SimulationScript } from "../simulation/script.ts";
import type { FoundKey, Key, StoredSecret } from "./key.ts";
import type { KeyCount, KeysPage } from "./listing.ts";
import type { State } from "./state.ts";

/** A key with its secrets, newest first. `version` grows with every change of either; `lastUsedAt` does not count. */
export type KeyWithSecrets = { key: Key; secrets: StoredSecret[]; version: number };

/** A page of keys, and the number of keys on all pages. */
export type CountedKeys = { keys: KeyWithSecrets[]; count: KeyCount };

/** The numbers of keys: by state, and of those with a simulation, in any state. */
export type KeyCounts = { byState: Record<State, number>; rehearsing: number };

/**
 * Returns the key with this secret, as it was at most a second ago. Only what has the form of a secret is looked up.
 * @throws service_unavailable when the store cannot be reached
 */
export type FindKey = (secret: string) => Awaitable<FoundKey | undefined>;

/**
 * Stores keys. Every method throws service_unavailable when the store cannot be reached.
 * Other processes see a change within a second. A change and its audit entry are one transaction, which is durable when
 * the promise resolves.
 */
export interface KeyStore {
  /** Returns what a request needs of the key with this secret hash, and of that secret. */
  findBySecret(hash: string): Awaitable<FoundKey | undefined>;
  get(id: string): Awaitable<KeyWithSecrets | undefined>;
  /** Returns a page of keys with their states at `now` (Unix ms). Bans are stored within a second after they begin. */
  list(page: KeysPage, now: number): Promise<KeyWithSecrets[]>;
  /** Returns a page of keys, and counts those on all pages: up to `most`, if it has to look at each of them. */
  listCounted(page: KeysPage, now: number, most: number): Promise<CountedKeys>;
  /** Returns the number of keys in each state at `now` (Unix ms), and of those with a simulation. */
  counts(now: number): Promise<KeyCounts>;
  /** Whether there has never been a key. */
  isEmpty(): Awaitable<boolean>;
  /** Adds a key with its first secret. */
  add(key: Key, secret: StoredSecret, entry: Entry): Promise<void>;
  /**
   * Replaces a key, except its secrets, `lastUsedAt` and the requests of a simulation that stays. Returns false, and changes nothing, when the key does not exist
   * or no longer has this version.
   */
  replace(key: Key, version: number, entry: Entry): Promise<boolean>;
  /** Adds a secret to its key. The key's other secrets expire at `othersExpireAt` (Unix ms) at the latest. */
  addSecret(secret: StoredSecret, othersExpireAt: number, entry: Entry): Promise<void>;
  /** Has the secrets of a key that expire after `at` (Unix ms) expire then. Returns false, and changes nothing, without any. */
  endGrace(keyId: string, at: number, entry: Entry): Promise<boolean>;
  /**
   * Counts a request for the key's simulation, which ends with its last one. Returns the position of the request, exact over
   * all processes; undefined, without counting, when the key has another simulation by now, or none.
   */
  countSimulated(keyId: string, simulation: SimulationScript): Promise<number | undefined>;
}
