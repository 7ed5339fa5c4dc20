import type { Entry } from "../audit/entry.ts";
import type { Awaitable } from "../awaitable.ts";
import type { Key, StoredSecret } from "./key.ts";

/** A key with its secrets, newest first. `version` grows with every change of either; use of the key is no change. */
export type KeyWithSecrets = { key: Key; secrets: StoredSecret[]; version: number };

/**
 * Where keys are kept. Every method raises service_unavailable when the store cannot be reached.
 * A change made by one process is seen by the others within a second. It goes with the log's entry of it: both are kept,
 * or neither, and they are durable when the promise resolves.
 */
export interface KeyStore {
  /** The key that one of its secrets' hashes belongs to, with that secret. */
  findBySecret(hash: string): Awaitable<{ key: Key; secret: StoredSecret } | undefined>;
  get(id: string): Awaitable<KeyWithSecrets | undefined>;
  /** All keys, oldest first. */
  list(): Awaitable<KeyWithSecrets[]>;
  /** Whether there has never been a key. */
  isEmpty(): Awaitable<boolean>;
  /** Adds a key with its first secret. */
  add(key: Key, secret: StoredSecret, entry: Entry): Promise<void>;
  /**
   * Replaces the key of this id, all but its secrets and its last use. Returns false, and changes nothing, when there is
   * none or its version is no longer `version`.
   */
  replace(key: Key, version: number, entry: Entry): Promise<boolean>;
  /** Adds a secret to its key; the key's other secrets end at `othersExpireAt` (Unix ms), or earlier where they already did. */
  addSecret(secret: StoredSecret, othersExpireAt: number, entry: Entry): Promise<void>;
}
