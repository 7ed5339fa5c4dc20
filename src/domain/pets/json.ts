import { exactInteger } from "../json/write.ts";
import type { Pet } from "./pet.ts";

/** A pet for JSON.stringify, which writes `categoryId` with all its digits. */
export function petJson({ id, name, categoryId, status }: Pet) {
  return { id, name, categoryId: exactInteger(categoryId), status };
}

/** The example pet of the document. */
export const examplePet = { id: 1, name: "Rex", categoryId: 1, status: "available" } satisfies Record<
  keyof Pet,
  unknown
>;
