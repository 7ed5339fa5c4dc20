import type { NewPet, PetStatus, StoredPet } from "./pet.ts";

/** Imports and exports many pets while other clients use the catalogue. */
export interface BulkPets {
  /** Adds all pets or none. They are durable when the promise resolves. @throws service_unavailable */
  add(pets: NewPet[]): Promise<void>;
  /**
   * Yields pages of all pets, or those of one status, by id: a consistent snapshot of one moment.
   * @throws service_unavailable
   */
  snapshot(status?: PetStatus): Iterable<StoredPet[]> | AsyncIterable<StoredPet[]>;
}

/** The pets to add in one transaction: many enough for speed, few enough to not block other writers. */
export const BATCH = 2_000;

/** The most pets in a page of a snapshot. */
export const SNAPSHOT_PAGE = 1_000;
