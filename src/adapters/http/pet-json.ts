import { exactInteger } from "../../domain/json/write.ts";
import type { Pet } from "../../domain/pets/pet.ts";

/** A pet as JSON.stringify writes it: `categoryId` with all its digits. */
export function petJson({ id, name, categoryId, status }: Pet) {
  return { id, name, categoryId: exactInteger(categoryId), status };
}

/** The pet that the document shows. */
export const examplePet = { id: 1, name: "Rex", categoryId: 1, status: "available" } satisfies Record<
  keyof Pet,
  unknown
>;
