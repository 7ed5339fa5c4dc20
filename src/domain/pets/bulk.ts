import type { Entry } from "../audit/entry.ts";
import type { NewPet, Pet, PetStatus } from "./pet.ts";

/** Imports and exports many pets while other clients use the catalogue. */
export interface BulkPets {
  /** Adds all pets and the audit entry, or nothing. They are durable when the promise resolves. @throws service_unavailable */
  add(pets: NewPet[], entry: Entry): Promise<void>;
  /**
   * Yields pages of all pets, or those of one status, by id: a consistent snapshot of one moment.
   * @throws service_unavailable
   */
  snapshot(status?: PetStatus): Iterable<Pet[]> | AsyncIterable<Pet[]>;
}

/** The pets to add in one transaction: many enough for speed, few enough that requests wait for about 2 ms. */
export const BATCH = 500;

/** The most pets in a page of a snapshot. */
export const SNAPSHOT_PAGE = 500;
