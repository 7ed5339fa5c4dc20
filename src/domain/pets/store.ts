import type { Awaitable } from "../awaitable.ts";
import type { IdempotencyKey, IdempotentCreation } from "./idempotency-key.ts";
import type { Page } from "./listing.ts";
import type { NewPet, Pet } from "./pet.ts";

/** Where pets are kept. Ids are positive, increasing and below 2^53; every int64 comes back exactly. */
export interface PetStore {
  /** Adds a pet. It is durable when the promise resolves. @throws service_unavailable when the store cannot be written */
  create(pet: NewPet): Promise<Pet>;
  /**
   * Adds a pet, unless a creation with this idempotency key did so before: then nothing is added, and the pet is given
   * as it was then. The key is remembered for `IDEMPOTENCY_KEY_LIFETIME`, in the same transaction as the pet: any number
   * of nodes, repeated requests and crashes add one.
   * @throws idempotency_key_reused when the earlier creation was of another pet
   * @throws idempotency_in_progress while the earlier creation is under way
   * @throws service_unavailable when the store cannot be written
   */
  createIdempotently(pet: NewPet, key: IdempotencyKey): Promise<IdempotentCreation>;
  /** Forgets some of the idempotency keys from before `time` (Unix ms). Gives how many. @throws service_unavailable */
  forgetIdempotencyKeys(time: number): Promise<number>;
  /** The pet with this id. @throws service_unavailable when the store cannot be read */
  get(id: bigint): Awaitable<Pet | undefined>;
  /** The pets of a page, in its order. @throws service_unavailable when the store cannot be read */
  list(page: Page): Awaitable<Pet[]>;
  /**
   * A number that differs once any process may have added or changed a pet, as of the last refresh; undefined for a
   * store that does not know. Equal numbers mean equal results.
   */
  revision(): number | undefined;
}
