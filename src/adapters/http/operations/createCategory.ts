import { Category, categoryJson, exampleCategory, NewCategory } from "../../../domain/categories/category.ts";
import { tagOfVersion } from "../../../domain/entity-tag.ts";
import { createdResponse, IdempotentRequest, idempotencyKeyOf, ofIdempotentCreation } from "../idempotency-key.ts";
import { operation } from "./operation.ts";

/** POST /categories. Source: docs/categories.md. */
export const createCategory = operation({
  id: "createCategory",
  method: "post",
  path: "/categories",
  scope: "pets:write",
  tag: "categories",
  summary: "Add a category",
  description:
    "Adds a category under an id that the service assigns. With an `Idempotency-Key` you can retry safely: for 24 hours a repeated request adds nothing and gets the first response.",
  additionTo: "1.0.0",
  request: { headers: IdempotentRequest, body: NewCategory },
  answers: {
    201: {
      description: "The category was added.",
      schema: Category,
      example: exampleCategory,
      headers: ofIdempotentCreation,
    },
  },
  refusals: ["category_exists", "idempotency_in_progress", "idempotency_key_reused"],
  handle:
    ({ categories, clock }) =>
    async ({ body, headers, context }) => {
      const key = idempotencyKeyOf(headers, context.key.id, clock());
      const { created, isReplay } = await categories.create(body, { key });
      return createdResponse(context, categoryJson(created), {
        location: categoryPath(created.id),
        tag: tagOfVersion(created.version),
        isReplay,
      });
    },
});

/** Returns the path of a category. */
export function categoryPath(id: bigint): string {
  return `/v1/categories/${id}`;
}
