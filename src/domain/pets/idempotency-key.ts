import { PetstoreError } from "../errors.ts";
import { DEFAULT_STATUS, type NewPet, type Pet } from "./pet.ts";

/**
 * An idempotency key, with which a client may repeat a creation without adding anything. Each API key has its own.
 * `now` (Unix ms) is when the request came.
 */
export type IdempotencyKey = { keyId: string; key: string; now: number };

/** The result of an idempotent creation: the pet was added now, or, for a replay, by an earlier request. */
export type IdempotentCreation = { pet: Pet; isReplay: boolean };

/** How long an idempotency key is remembered, in ms: 24 h. After that it may be used again. */
export const IDEMPOTENCY_KEY_LIFETIME = 86_400_000;

/**
 * The result of a creation whose idempotency key an earlier one had, which added `first`.
 * @throws idempotency_key_reused when it is for another pet than that one
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

/** The idempotent creations that this process has under way. */
export class CreationsInProgress {
  readonly #keys = new Set<string>();

  /** Does `work`, unless it is under way for this key. @throws idempotency_in_progress, and what `work` throws */
  async once<T>({ keyId, key: idempotencyKey }: IdempotencyKey, work: () => Promise<T>): Promise<T> {
    const both = `${keyId} ${idempotencyKey}`;
    if (this.#keys.has(both)) refuseInProgress();
    this.#keys.add(both);
    try {
      return await work();
    } finally {
      this.#keys.delete(both);
    }
  }
}
