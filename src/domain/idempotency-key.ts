import { PetstoreError } from "./errors.ts";

/**
 * The idempotency key of a request that creates something, which the client may then repeat safely. Each API key has its own
 * idempotency keys. `now` (Unix ms) is the time of the request.
 */
export type IdempotencyKey = { keyId: string; key: string; now: number };

/** The result of an idempotent creation. `isReplay`: an earlier request created it. */
export type IdempotentCreation<T> = { created: T; isReplay: boolean };

/** What is stored for an idempotency key: the request as text, the id of what it created, and when (Unix ms). */
export type Creation = { request: string; id: bigint; at: number };

/** The lifetime of an idempotency key in ms: 24 h. After that it may be used again. */
export const IDEMPOTENCY_KEY_LIFETIME = 86_400_000;

/** @throws idempotency_key_reused unless the repeated request has the text of the first one */
export function requireSameRequest(first: Creation, request: string): void {
  if (first.request !== request) throw new PetstoreError("idempotency_key_reused");
}

/** @throws idempotency_in_progress, always */
export function refuseInProgress(): never {
  throw new PetstoreError("idempotency_in_progress");
}

/** The idempotent creations in progress in this process. */
export class CreationsInProgress {
  readonly #keys = new Set<string>();

  /** Runs `work`. @throws idempotency_in_progress when work for this key is in progress, and what `work` throws */
  async once<T>({ keyId, key }: IdempotencyKey, work: () => Promise<T>): Promise<T> {
    const scopedKey = `${keyId} ${key}`;
    if (this.#keys.has(scopedKey)) refuseInProgress();
    this.#keys.add(scopedKey);
    try {
      return await work();
    } finally {
      this.#keys.delete(scopedKey);
    }
  }
}
