import type { EntryOf } from "../audit/entry.ts";
import type { Awaitable } from "../awaitable.ts";
import type { ChangeOptions } from "../change-options.ts";
import type { IdempotencyKey, IdempotentCreation } from "../idempotency-key.ts";
import type { Inventory } from "./inventory.ts";
import type { Page } from "./listing.ts";
import type { NewPet, PetPatch, StoredPet } from "./pet.ts";

/** With `keepsSold` a pet that was sold by a delivered order stays sold, even if the change gives it another status. */
export type PetUpdateOptions = ChangeOptions<StoredPet> & { keepsSold?: boolean | undefined };

/** Stores pets. Ids are positive, increasing and below 2^53; every int64 is exact. */
export interface PetStore {
  /**
   * Adds a pet, which is durable when the promise resolves; with `entryOf` also its audit entry, or neither.
   * @throws service_unavailable; validation_failed for an unknown category, if the store checks categories
   */
  create(pet: NewPet, entryOf?: EntryOf<StoredPet>): Promise<StoredPet>;
  /**
   * Adds a pet, unless an earlier creation had this idempotency key: then it adds nothing, and returns the pet as it was
   * added. The key is stored for `IDEMPOTENCY_KEY_LIFETIME`, in the transaction that adds the pet: repeated requests, on
   * any number of nodes and after crashes, add one pet.
   * @throws idempotency_key_reused when the earlier creation added another pet
   * @throws idempotency_in_progress while the earlier creation is in progress
   * @throws what `create` throws
   */
  createIdempotently(pet: NewPet, key: IdempotencyKey): Promise<IdempotentCreation<StoredPet>>;
  /** Returns the pet with this id. @throws service_unavailable when the store cannot be read */
  get(id: bigint): Awaitable<StoredPet | undefined>;
  /** Returns a page of pets, in its order. @throws service_unavailable when the store cannot be read */
  list(page: Page): Awaitable<StoredPet[]>;
  /**
   * Changes a pet, and returns it. The change is durable when the promise resolves.
   * @throws pet_not_found, precondition_failed, pet_reserved, invalid_transition, service_unavailable; validation_failed as
   * `create` does
   */
  update(id: bigint, patch: PetPatch, options?: PetUpdateOptions): Promise<StoredPet>;
  /**
   * Removes a pet for good: its id is never assigned again.
   * @throws pet_not_found, precondition_failed, pet_reserved, service_unavailable
   */
  delete(id: bigint, options?: ChangeOptions<StoredPet>): Promise<void>;
  /** Returns how many pets of each status there are, exactly, in constant time. @throws service_unavailable */
  inventory(): Awaitable<Inventory>;
  /**
   * Returns a number that changes whenever any process may have written to the store, as of the last refresh: equal
   * numbers mean equal results. Undefined for a store that cannot detect changes.
   */
  revision(): number | undefined;
}
