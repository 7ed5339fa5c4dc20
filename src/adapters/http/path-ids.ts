import { z } from "zod";
import { PetstoreError, type PublicErrorCode } from "../../domain/errors.ts";
import { plainInt64, signedInt64 } from "../../domain/int64.ts";

/** @throws the error with this code, always */
export function notFound(code: PublicErrorCode): never {
  throw new PetstoreError(code);
}

/** A path parameter that is the id of a resource. @throws `code` for a text that is no valid id */
const idOf = (resource: string, parse: (text: string) => bigint | undefined, code: PublicErrorCode) =>
  z
    .string()
    .transform((text) => parse(text) ?? notFound(code))
    .meta({
      type: "integer",
      format: "int64",
      description: `The id of the ${resource}. Any other text leads to 404.`,
      examples: [1],
    });

/** The path parameters that name a resource. */
export const PetPath = z.object({ petId: idOf("pet", plainInt64, "pet_not_found") });
export const CategoryPath = z.object({ categoryId: idOf("category", signedInt64, "category_not_found") });
export const OrderPath = z.object({ orderId: idOf("order", plainInt64, "order_not_found") });
