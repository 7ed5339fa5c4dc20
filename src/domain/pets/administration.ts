import { changeEntry } from "../audit/change-entry.ts";
import type { Action, Author, EntryOf } from "../audit/entry.ts";
import type { Preconditions } from "../entity-tag.ts";
import { petJson } from "./json.ts";
import type { NewPet, PetPatch, StoredPet } from "./pet.ts";
import type { PetStore, PetUpdateOptions } from "./store.ts";

/**
 * Adds, changes and removes pets on behalf of `author`. Each change is stored with its audit entry. `now` is Unix ms. Every
 * method throws what the store throws.
 */
export class PetAdministration {
  readonly #pets: PetStore;
  readonly #author: Author;

  constructor(pets: PetStore, author: Author) {
    this.#pets = pets;
    this.#author = author;
  }

  create(pet: NewPet, now: number): Promise<StoredPet> {
    return this.#pets.create(pet, this.#entryOf("pet.create", now));
  }

  update(
    id: bigint,
    patch: PetPatch,
    now: number,
    options: Omit<PetUpdateOptions, "entryOf"> = {},
  ): Promise<StoredPet> {
    return this.#pets.update(id, patch, { ...options, entryOf: this.#entryOf("pet.update", now) });
  }

  delete(id: bigint, now: number, preconditions?: Preconditions): Promise<void> {
    return this.#pets.delete(id, { preconditions, entryOf: this.#entryOf("pet.delete", now) });
  }

  #entryOf(action: Action, at: number): EntryOf<StoredPet> {
    return changeEntry({ author: this.#author, action, at, json: petJson });
  }
}
