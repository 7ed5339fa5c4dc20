import { z } from "zod";
import type { PublicErrorCode } from "../../domain/error-catalogue.ts";
import { PetstoreError } from "../../domain/errors.ts";
import { INT64_MAX, INT64_MIN, plainInt64, signedInt64 } from "../../domain/int64.ts";

/** A category can be created under any id, so that one that does not exist is not the reason. */
const MALFORMED_CATEGORY_ID = `The id of a category is an integer from ${INT64_MIN} to ${INT64_MAX} in plain digits.`;

/** @throws the error with this code, always */
export function notFound(code: PublicErrorCode, message?: string): never {
  throw new PetstoreError(code, message === undefined ? {} : { message });
}

type Parse = (text: string) => bigint | undefined;

/** A path parameter that is the id of a resource. @throws `code` for a text that is no valid id */
const idOf = (resource: string, parse: Parse, code: PublicErrorCode, message?: string) =>
  z
    .string()
    .transform((text) => parse(text) ?? notFound(code, message))
    .meta({
      type: "integer",
      format: "int64",
      description: `The id of the ${resource}. Any other text leads to 404.`,
      examples: [1],
    });

/** The path parameters that name a resource. */
export const PetPath = z.object({ petId: idOf("pet", plainInt64, "pet_not_found") });
export const CategoryPath = z.object({
  categoryId: idOf("category", signedInt64, "category_not_found", MALFORMED_CATEGORY_ID),
});
export const OrderPath = z.object({ orderId: idOf("order", plainInt64, "order_not_found") });
