import { PetstoreError } from "../errors.ts";
import { DEFAULT_STATUS, type NewPet, type Pet } from "./pet.ts";

/**
 * The name that a client gave a creation, so that asking for it again adds nothing. Names are each API key's own.
 * `now` (Unix ms) is when it was asked for.
 */
export type IdempotencyKey = { keyId: string; key: string; now: number };

/** What became of a named creation: a pet was added just now, or before, and is told again. */
export type IdempotentCreation = { pet: Pet; isReplay: boolean };

/** How long a name is remembered, in ms: 24 h. After that it may name another creation. */
export const IDEMPOTENCY_KEY_LIFETIME = 86_400_000;

/**
 * The answer to a creation whose name was given to an earlier one, which added `first`.
 * @throws idempotency_key_reused when it asks for another pet than that one
 */
export function replayed(first: Pet, { name, categoryId, status = DEFAULT_STATUS }: NewPet): IdempotentCreation {
  if (first.name === name && first.categoryId === categoryId && first.status === status) {
    return { pet: first, isReplay: true };
  }
  throw new PetstoreError("idempotency_key_reused");
}

/** @throws idempotency_in_progress, always */
export function refuseInProgress(): never {
  throw new PetstoreError("idempotency_in_progress");
}

/** The named creations that this process has under way. */
export class CreationsInProgress {
  readonly #names = new Set<string>();

  /** Does `work`, unless it is being done under this name. @throws idempotency_in_progress, and what `work` throws */
  async once<T>({ keyId, key: idempotencyKey }: IdempotencyKey, work: () => Promise<T>): Promise<T> {
    const name = `${keyId} ${idempotencyKey}`;
    if (this.#names.has(name)) refuseInProgress();
    this.#names.add(name);
    try {
      return await work();
    } finally {
      this.#names.delete(name);
    }
  }
}
