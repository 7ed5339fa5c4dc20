import type { NewPet, Pet, PetStatus } from "./pet.ts";

/** The catalogue for those who move very many animals, while others go on using it. */
export interface BulkPets {
  /** Adds animals, all or none. They are durable when the promise resolves. @throws service_unavailable */
  add(pets: NewPet[]): Promise<void>;
  /**
   * All animals, or those of one status, by id, in pages, as they are at one moment: whatever is written meanwhile is
   * not among them. @throws service_unavailable
   */
  snapshot(status?: PetStatus): Iterable<Pet[]> | AsyncIterable<Pet[]>;
}

/** How many animals are best added at a time: enough to share a commit, few enough not to keep others waiting. */
export const BATCH = 2_000;

/** How many animals a page of a snapshot has at most. */
export const SNAPSHOT_PAGE = 1_000;
