import type { Entry } from "../audit/entry.ts";
import type { Awaitable } from "../awaitable.ts";
import type { Key, StoredSecret } from "./key.ts";

export type KeyWithSecrets = { key: Key; secrets: StoredSecret[] };

/**
 * Where keys are kept. Every method raises service_unavailable when the store cannot be reached.
 * A change made by one process is seen by the others within a second. It goes with the log's entry of it: both are kept,
 * or neither, and they are durable when the promise resolves.
 */
export interface KeyStore {
  /** The key that one of its secrets' hashes belongs to, with that secret. */
  findBySecret(hash: string): Awaitable<{ key: Key; secret: StoredSecret } | undefined>;
  /** The key with this id, and its secrets, newest first. */
  get(id: string): Awaitable<KeyWithSecrets | undefined>;
  /** All keys, oldest first. */
  list(): Awaitable<KeyWithSecrets[]>;
  /** Whether there has never been a key. */
  isEmpty(): Awaitable<boolean>;
  /** Adds a key with its first secret. */
  add(key: Key, secret: StoredSecret, entry: Entry): Promise<void>;
  /**
   * Puts `after` in the place of `before`, which has the same id, but for its secrets and its last use. Gives false, and
   * changes nothing, when the key is not, or no longer, as `before` has it.
   */
  replace(before: Key, after: Key, entry: Entry): Promise<boolean>;
  /** Adds a secret to its key; the key's other secrets end at `othersExpireAt` (Unix ms), or earlier where they already did. */
  addSecret(secret: StoredSecret, othersExpireAt: number, entry: Entry): Promise<void>;
}
