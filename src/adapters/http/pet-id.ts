import { z } from "zod";
import { PetstoreError } from "../../domain/errors.ts";
import { plainInt64 } from "../../domain/int64.ts";

/** The path parameter petId. @throws pet_not_found for everything that is not the id of a pet */
export const PetId = z
  .string()
  .transform((text) => plainInt64(text) ?? petNotFound())
  .meta({
    type: "integer",
    format: "int64",
    description: "Identifier of the pet. Anything that is not the id of a pet is answered with 404.",
    examples: [1],
  });

/** @throws pet_not_found, always */
export function petNotFound(): never {
  throw new PetstoreError("pet_not_found");
}
