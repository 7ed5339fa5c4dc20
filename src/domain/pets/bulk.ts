import type { NewPet, Pet, PetStatus } from "./pet.ts";

/** Adds and reads very many pets while others use the catalogue. */
export interface BulkPets {
  /** Adds pets, all or none. They are durable when the promise resolves. @throws service_unavailable */
  add(pets: NewPet[]): Promise<void>;
  /**
   * All pets, or those of one status, by id, in pages, as they are at one moment: what is written meanwhile is
   * not among them. @throws service_unavailable
   */
  snapshot(status?: PetStatus): Iterable<Pet[]> | AsyncIterable<Pet[]>;
}

/** How many pets to add at a time: enough to share a commit, few enough not to keep others waiting. */
export const BATCH = 2_000;

/** How many pets a page of a snapshot has at most. */
export const SNAPSHOT_PAGE = 1_000;
