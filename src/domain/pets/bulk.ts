import type { Entry } from "../audit/entry.ts";
import type { NewPet, PetStatus, StoredPet } from "./pet.ts";

/** Imports and exports many pets while other clients use the catalogue. */
export interface BulkPets {
  /**
   * Adds all pets and the audit entry. They are durable when the promise resolves. Adds nothing and returns false unless all
   * of `categories` exist. @throws service_unavailable
   */
  add(pets: NewPet[], entry: Entry, categories?: readonly bigint[]): Promise<boolean>;
  /**
   * Yields pages of all pets, or those of one status, by id: a consistent snapshot of one moment.
   * @throws service_unavailable
   */
  snapshot(status?: PetStatus): Iterable<StoredPet[]> | AsyncIterable<StoredPet[]>;
}

/** The pets to add in one transaction: many enough for speed, few enough that requests wait for about 2 ms. */
export const BATCH = 500;

/** The most pets in a page of a snapshot. */
export const SNAPSHOT_PAGE = 500;
