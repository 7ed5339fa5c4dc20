import { PetstoreError } from "../errors.ts";
import { DEFAULT_STATUS, type NewPet, type Pet } from "./pet.ts";

/**
 * The name that a client gave a creation, so that asking for it again adds nothing. Names are each API key's own.
 * `now` (Unix ms) is when it was asked for.
 */
export type CreationName = { keyId: string; idempotencyKey: string; now: number };

/** What became of a named creation: an animal was added just now, or before, and is told again. */
export type Creation = { pet: Pet; isReplay: boolean };

/** How long a name is remembered, in ms: 24 h. After that it may name another creation. */
export const REMEMBERED_FOR = 86_400_000;

/**
 * The answer to a creation whose name was given to an earlier one, which added `first`.
 * @throws idempotency_key_reused when it asks for another animal than that one
 */
export function replayed(first: Pet, { name, categoryId, status = DEFAULT_STATUS }: NewPet): Creation {
  if (first.name === name && first.categoryId === categoryId && first.status === status) {
    return { pet: first, isReplay: true };
  }
  throw new PetstoreError(
    "idempotency_key_reused",
    "This Idempotency-Key was sent with another animal before. Send a new one with each new animal, and the same one only to ask again.",
  );
}

/** @throws idempotency_in_progress, always */
export function refuseInProgress(): never {
  throw new PetstoreError(
    "idempotency_in_progress",
    "The first request with this Idempotency-Key is not answered yet. Ask again in a second.",
    { headers: { "Retry-After": "1" } },
  );
}

/** The named creations that this process has under way. */
export class CreationsUnderWay {
  readonly #names = new Set<string>();

  /** Does `work`, unless it is being done under this name. @throws idempotency_in_progress, and what `work` throws */
  async once<T>({ keyId, idempotencyKey }: CreationName, work: () => Promise<T>): Promise<T> {
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
