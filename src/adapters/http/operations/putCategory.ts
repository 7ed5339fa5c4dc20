import { Category, categoryJson, exampleCategory, NewCategory } from "../../../domain/categories/category.ts";
import { tagOfVersion } from "../../../domain/entity-tag.ts";
import { ConditionalChange, etagOf, preconditionsIn } from "../conditional.ts";
import { ofChange, ofCreation } from "../document-headers.ts";
import { createdResponse } from "../idempotency-key.ts";
import { CategoryPath } from "../path-ids.ts";
import { json } from "../request-context.ts";
import { categoryPath } from "./createCategory.ts";
import { operation } from "./operation.ts";

/** PUT /categories/{categoryId}. Source: docs/categories.md. */
export const putCategory = operation({
  id: "putCategory",
  method: "put",
  path: "/categories/{categoryId}",
  scope: "pets:write",
  tag: "categories",
  summary: "Name a category",
  description:
    "Renames the category, or adds it under this id, which may be any int64: an id that pets already have can be given a name. With `If-Match` it only renames, with `If-None-Match: *` it only adds.",
  additionTo: "1.0.0",
  request: { params: CategoryPath, headers: ConditionalChange, body: NewCategory },
  answers: {
    200: {
      description: "The category has this name.",
      schema: Category,
      example: exampleCategory,
      headers: ofChange,
    },
    201: { description: "The category was added.", schema: Category, example: exampleCategory, headers: ofCreation },
  },
  refusals: ["category_not_found", "precondition_failed", "category_exists"],
  handle:
    ({ categories }) =>
    async ({ params, headers, body, context }) => {
      const id = params.categoryId;
      const { category, isNew } = await categories.put({ ...body, id }, { preconditions: preconditionsIn(headers) });
      const tag = tagOfVersion(category.version);
      if (isNew) return createdResponse(context, categoryJson(category), { location: categoryPath(id), tag });
      return json(context, 200, categoryJson(category), { ETag: etagOf(tag) });
    },
});
