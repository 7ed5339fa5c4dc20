import type { Action, Author, Entry } from "../audit/entry.ts";
import { snapshotOf } from "../audit/snapshot.ts";
import { PetstoreError, unavailable } from "../errors.ts";
import { isSame } from "./change.ts";
import type { Key } from "./key.ts";
import type { KeyStore, KeyWithSecrets } from "./store.ts";

/** Attempts at a change while others change the same key. */
const MAX_TRIES = 10;

/** Changes stored keys on behalf of `author`, each with its audit entry. `now` and `at` are in Unix milliseconds. */
export class AuditedChanges {
  readonly #store: KeyStore;
  readonly #author: Author;

  constructor(store: KeyStore, author: Author) {
    this.#store = store;
    this.#author = author;
  }

  /** @throws key_not_found */
  async find(id: string): Promise<KeyWithSecrets> {
    const found = await this.#store.get(id);
    if (found === undefined)
      throw new PetstoreError("key_not_found", id === "" ? {} : { message: `There is no key ${id}.` });
    return found;
  }

  /**
   * Applies `change` to the stored key. Retries with the new state when the key changes meanwhile (optimistic locking).
   * @throws key_not_found
   */
  async change(
    action: (before: Key, after: Key) => Action,
    id: string,
    now: number,
    change: (key: Key) => Key,
  ): Promise<Key> {
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const { key: before, version } = await this.find(id);
      const after = change(before);
      if (isSame(before, after)) return before;
      const entry = this.entry(action(before, after), id, now, before, after);
      if (await this.#store.replace(after, version, entry)) return after;
    }
    throw unavailable(new Error(`key ${id} changed during each of ${MAX_TRIES} attempts`));
  }

  entry(action: Action, target: string, at: number, before: object | undefined, after: object): Entry {
    return {
      ...this.#author,
      at,
      action,
      target,
      ...(before && { before: snapshotOf(before) }),
      after: snapshotOf(after),
    };
  }
}
