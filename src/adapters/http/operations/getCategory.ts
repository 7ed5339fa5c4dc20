import { after } from "../../../domain/awaitable.ts";
import { Category, categoryJson, exampleCategory } from "../../../domain/categories/category.ts";
import { tagOfVersion } from "../../../domain/entity-tag.ts";
import { etagOf } from "../conditional.ts";
import { CategoryPath, notFound } from "../path-ids.ts";
import { operation } from "./operation.ts";

/** GET /categories/{categoryId}. Source: docs/categories.md. */
export const getCategory = operation({
  id: "getCategory",
  method: "get",
  path: "/categories/{categoryId}",
  scope: "pets:read",
  tag: "categories",
  summary: "Get one category",
  description: "Returns the category with this id.",
  additionTo: "1.0.0",
  request: { params: CategoryPath },
  answers: { 200: { description: "The category.", schema: Category, example: exampleCategory } },
  refusals: ["category_not_found"],
  read:
    ({ categories }) =>
    ({ params }) =>
      after(categories.get(params.categoryId), (found) => {
        const category = found ?? notFound("category_not_found");
        return { body: JSON.stringify(categoryJson(category)), etag: etagOf(tagOfVersion(category.version)) };
      }),
});
