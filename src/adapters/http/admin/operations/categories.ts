import { z } from "zod";
import {
  Category,
  categoryJson,
  exampleCategory,
  NewCategory,
  type StoredCategory,
} from "../../../../domain/categories.ts";
import { tagOfVersion } from "../../../../domain/changes.ts";
import { INT64_MAX, INT64_MIN } from "../../../../domain/int64.ts";
import { ref } from "../../openapi.ts";
import { CategoriesQuery, categoriesPageOf } from "../../paging.ts";
import { CategoryPath, notFound } from "../../parameters.ts";
import { noContent } from "../../request.ts";
import { ConditionalChange, etagOf, preconditionsIn } from "../../responses.ts";
import { readPage } from "../fields.ts";
import { authorOf, json, type OperatorContext } from "../request-context.ts";
import { operation } from "./operation.ts";

/** A response that has a category. */
const categoryAnswer = (description: string) => ({
  description,
  schema: Category,
  example: exampleCategory,
  headers: { ETag: ref("ETag") },
});

function categoryResponse(context: OperatorContext, status: number, category: StoredCategory): Response {
  return json(context, status, categoryJson(category), { ETag: etagOf(tagOfVersion(category.version)) });
}

export const CategoryPage = z
  .strictObject({
    categories: z.array(Category),
    next: z
      .bigint()
      .nullable()
      .meta({
        type: ["integer", "null"],
        format: "int64",
        minimum: INT64_MIN,
        maximum: INT64_MAX,
        description: "The `after` of the next page; null on the last page.",
      }),
  })
  .meta({
    id: "CategoryPage",
    description: "A page of categories, by id.",
    examples: [{ categories: [exampleCategory], next: null }],
  });

/** GET /categories */
export const listCategories = operation({
  id: "listCategories",
  method: "get",
  path: "/categories",
  role: "viewer",
  tag: "categories",
  summary: "List categories",
  description: "Lists the categories that match all given filters, by id.",
  request: { query: CategoriesQuery },
  answers: { 200: { description: "A page of categories.", schema: CategoryPage } },
  handle:
    ({ categories }) =>
    async ({ query, context }) => {
      const page = categoriesPageOf(query);
      const { items, next } = await readPage(page.limit, (limit) => categories.list({ ...page, limit }));
      return json(context, 200, { categories: items.map(categoryJson), next });
    },
});

/** POST /categories */
export const createCategory = operation({
  id: "createCategory",
  method: "post",
  path: "/categories",
  role: "admin",
  tag: "categories",
  summary: "Create a category",
  description: "Creates a category under a new id.",
  request: { body: NewCategory },
  answers: { 201: categoryAnswer("The category.") },
  refusals: ["category_exists"],
  handle:
    ({ categories, clock }) =>
    async ({ body, context }) => {
      const { created } = await categories.create(body, { by: authorOf(context), now: clock() });
      return categoryResponse(context, 201, created);
    },
});

/** GET /categories/{categoryId} */
export const getCategory = operation({
  id: "getCategory",
  method: "get",
  path: "/categories/{categoryId}",
  role: "viewer",
  tag: "categories",
  summary: "Get a category",
  description: "Returns a category with its ETag.",
  request: { params: CategoryPath },
  answers: { 200: categoryAnswer("The category.") },
  refusals: ["category_not_found"],
  handle:
    ({ categories }) =>
    async ({ params, context }) =>
      categoryResponse(context, 200, (await categories.get(params.categoryId)) ?? notFound("category_not_found")),
});

/** PUT /categories/{categoryId} */
export const putCategory = operation({
  id: "putCategory",
  method: "put",
  path: "/categories/{categoryId}",
  role: "admin",
  tag: "categories",
  summary: "Rename or create a category",
  description: "Renames the category with this id, or creates it, so that an id that pets already have gets a name.",
  request: {
    params: CategoryPath,
    headers: ConditionalChange,
    body: NewCategory,
  },
  answers: { 200: categoryAnswer("The category was renamed."), 201: categoryAnswer("The category was created.") },
  refusals: ["category_not_found", "precondition_failed", "category_exists"],
  handle:
    ({ categories, clock }) =>
    async ({ params, headers, body, context }) => {
      const { category, isNew } = await categories.put(
        { id: params.categoryId, name: body.name },
        { by: authorOf(context), now: clock(), preconditions: preconditionsIn(headers) },
      );
      return categoryResponse(context, isNew ? 201 : 200, category);
    },
});

/** DELETE /categories/{categoryId} */
export const deleteCategory = operation({
  id: "deleteCategory",
  method: "delete",
  path: "/categories/{categoryId}",
  role: "admin",
  tag: "categories",
  summary: "Remove a category",
  description: "Removes a category that no pet has.",
  request: { params: CategoryPath, headers: ConditionalChange },
  answers: { 204: "The category was removed." },
  refusals: ["category_not_found", "precondition_failed", "category_in_use"],
  handle:
    ({ categories, clock }) =>
    async ({ params, headers, context }) => {
      const preconditions = preconditionsIn(headers);
      await categories.delete(params.categoryId, { by: authorOf(context), now: clock(), preconditions });
      return noContent(context);
    },
});
