import type { Awaitable } from "../awaitable.ts";
import type { Key, StoredSecret } from "./key.ts";

export type KeyWithSecrets = { key: Key; secrets: StoredSecret[] };

/**
 * Where keys are kept. Every method raises service_unavailable when the store cannot be reached.
 * A change made by one process is seen by the others within a second.
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
  /** Adds a key with its first secret. Durable when the promise resolves. */
  add(key: Key, secret: StoredSecret): Promise<void>;
  /** Replaces everything of a key but its id, its secrets and its last use. Durable when the promise resolves. */
  update(key: Key): Promise<void>;
  /** Adds a secret to its key; the key's other secrets end at `othersExpireAt` (Unix ms), or earlier where they already did. */
  addSecret(secret: StoredSecret, othersExpireAt: number): Promise<void>;
}
