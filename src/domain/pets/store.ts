import type { Entry } from "../audit/entry.ts";
import type { Awaitable } from "../awaitable.ts";
import type { IdempotencyKey, IdempotentCreation } from "./idempotency-key.ts";
import type { Page } from "./listing.ts";
import type { NewPet, Pet, PetPatch, StoredPet } from "./pet.ts";

/** Stores pets. Ids are positive, increasing and below 2^53; every int64 is exact. */
export interface PetStore {
  /** Adds a pet. It is durable when the promise resolves. @throws service_unavailable when the store cannot be written */
  create(pet: NewPet): Promise<StoredPet>;
  /** Adds a pet and the audit entry that `entryOf` makes for it, or neither. Otherwise like `create`. */
  createAudited(pet: NewPet, entryOf: (pet: Pet) => Entry): Promise<StoredPet>;
  /**
   * Adds a pet, unless an earlier creation had this idempotency key: then it adds nothing, and returns the pet as it was
   * added. The key is stored for `IDEMPOTENCY_KEY_LIFETIME`, in the transaction that adds the pet: repeated requests, on
   * any number of nodes and after crashes, add one pet.
   * @throws idempotency_key_reused when the earlier creation added another pet
   * @throws idempotency_in_progress while the earlier creation is in progress
   * @throws service_unavailable when the store cannot be written
   */
  createIdempotently(pet: NewPet, key: IdempotencyKey): Promise<IdempotentCreation>;
  /** Deletes a batch of the idempotency keys from before `time` (Unix ms). Returns their number. @throws service_unavailable */
  forgetIdempotencyKeys(time: number): Promise<number>;
  /** Returns the pet with this id. @throws service_unavailable when the store cannot be read */
  get(id: bigint): Awaitable<StoredPet | undefined>;
  /** Returns a page of pets, in its order. @throws service_unavailable when the store cannot be read */
  list(page: Page): Awaitable<StoredPet[]>;
  /**
   * Changes a pet, and returns it. The change is durable when the promise resolves. With `versions` it is made only if the
   * pet has one of them.
   * @throws pet_not_found, precondition_failed, invalid_transition, service_unavailable
   */
  update(id: bigint, patch: PetPatch, versions?: readonly number[]): Promise<StoredPet>;
  /** Removes a pet for good: its id is never assigned again. @throws pet_not_found, precondition_failed, service_unavailable */
  delete(id: bigint, versions?: readonly number[]): Promise<void>;
  /**
   * Returns a number that changes whenever any process may have added or changed a pet, as of the last refresh: equal
   * numbers mean equal results. Undefined for a store that cannot detect changes.
   */
  revision(): number | undefined;
}
