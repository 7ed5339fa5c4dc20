import { z } from "zod";
import { petJson } from "../../domain/pets/json.ts";
import { NewPet, type Pet, PetPatch } from "../../domain/pets/pet.ts";
import type { ReadableContent, WritableContent } from "./content.ts";

const columns = { name: "text", categoryId: "integer", status: "text" } as const;

/** Pets to add. */
export const newPets: ReadableContent<NewPet> = {
  columns,
  required: ["name", "categoryId"],
  schemaOf: () => NewPet,
};

/** A change of the pet with this id: what the line leaves out stays as it is. */
const PetChange = PetPatch.extend({ id: z.bigint({ error: "must be the id of a pet" }) });
export type PetChange = z.infer<typeof PetChange>;

/** Pets to change, which have an id, and pets to add, which have none. */
export const petChanges: ReadableContent<PetChange | NewPet> = {
  columns: { id: "integer", ...columns },
  required: ["id"],
  schemaOf: (value) => (hasId(value) ? PetChange : NewPet),
};

export const pets: WritableContent<Pet> = {
  columns: ["id", "name", "categoryId", "status"],
  json: (pet) => JSON.stringify(petJson(pet)),
  cells: ({ id, name, categoryId, status }, text) => [String(id), text(name), String(categoryId), status],
};

function hasId(value: unknown): boolean {
  return typeof value === "object" && value !== null && "id" in value && value.id !== undefined;
}
