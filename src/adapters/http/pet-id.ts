import { z } from "zod";
import { PetstoreError } from "../../domain/errors.ts";
import { plainInt64 } from "../../domain/int64.ts";

/** The path parameter petId. @throws pet_not_found for a text that is no valid id */
export const PetId = z
  .string()
  .transform((text) => plainInt64(text) ?? petNotFound())
  .meta({
    type: "integer",
    format: "int64",
    description: "The id of the pet. Any text that is not the id of a pet leads to 404.",
    examples: [1],
  });

/** @throws pet_not_found, always */
export function petNotFound(): never {
  throw new PetstoreError("pet_not_found");
}
