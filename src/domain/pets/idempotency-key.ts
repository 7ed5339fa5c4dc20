import { PetstoreError } from "../errors.ts";
import { DEFAULT_STATUS, type NewPet, type StoredPet } from "./pet.ts";

/**
 * The idempotency key of a creation, which the client may then repeat safely. Each API key has its own idempotency keys.
 * `now` (Unix ms) is the time of the request.
 */
export type IdempotencyKey = { keyId: string; key: string; now: number };

/** The result of an idempotent creation. `isReplay`: an earlier request added the pet. */
export type IdempotentCreation = { pet: StoredPet; isReplay: boolean };

/** The lifetime of an idempotency key in ms: 24 h. After that it may be used again. */
export const IDEMPOTENCY_KEY_LIFETIME = 86_400_000;

/**
 * Returns the result for a repeated idempotency key, whose first request added `first`.
 * @throws idempotency_key_reused when the requested pet differs from it
 */
export function replayed(first: StoredPet, { name, categoryId, status = DEFAULT_STATUS }: NewPet): IdempotentCreation {
  if (first.name === name && first.categoryId === categoryId && first.status === status) {
    return { pet: first, isReplay: true };
  }
  throw new PetstoreError("idempotency_key_reused");
}

/** @throws idempotency_in_progress, always */
export function refuseInProgress(): never {
  throw new PetstoreError("idempotency_in_progress");
}

/** The idempotent creations in progress in this process. */
export class CreationsInProgress {
  readonly #keys = new Set<string>();

  /** Runs `work`. @throws idempotency_in_progress when work for this key is in progress, and what `work` throws */
  async once<T>({ keyId, key: idempotencyKey }: IdempotencyKey, work: () => Promise<T>): Promise<T> {
    const scopedKey = `${keyId} ${idempotencyKey}`;
    if (this.#keys.has(scopedKey)) refuseInProgress();
    this.#keys.add(scopedKey);
    try {
      return await work();
    } finally {
      this.#keys.delete(scopedKey);
    }
  }
}
