import type { Entry } from "../audit/entry.ts";
import type { Awaitable } from "../awaitable.ts";
import type { Key, StoredSecret } from "./key.ts";

/** A key with its secrets, newest first. `version` grows with every change of either; use of the key is no change. */
export type KeyWithSecrets = { key: Key; secrets: StoredSecret[]; version: number };

/**
 * Stores keys. Every method raises service_unavailable when the store cannot be reached.
 * A change by one process is visible to the others within a second. It is written with its entry in the audit log, both
 * or neither, and both are durable when the promise resolves.
 */
export interface KeyStore {
  /** The key that has a secret with this hash, and that secret. */
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
