import type { Awaitable } from "../awaitable.ts";
import type { Page } from "./listing.ts";
import type { NewPet, Pet } from "./pet.ts";

/** Where animals are kept. Ids are positive, increasing and below 2^53; every int64 comes back exactly. */
export interface PetStore {
  /** Adds an animal. It is durable when the promise resolves. @throws service_unavailable when the store cannot be written */
  create(pet: NewPet): Promise<Pet>;
  /** The animal with this id. @throws service_unavailable when the store cannot be read */
  get(id: bigint): Awaitable<Pet | undefined>;
  /** At most `page.limit` animals with ids above `page.after`, ascending. @throws service_unavailable when the store cannot be read */
  list(page: Page): Awaitable<Pet[]>;
  /**
   * A number that differs once any animal may have been added or changed, by whomever, as of the last refresh;
   * undefined when the store cannot tell. Equal numbers mean equal answers.
   */
  revision(): number | undefined;
}
