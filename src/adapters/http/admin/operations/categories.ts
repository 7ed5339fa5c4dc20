import { z } from "zod";
import { Category, categoryJson, exampleCategory, NewCategory } from "../../../../domain/categories.ts";
import { tagOfVersion } from "../../../../domain/changes.ts";
import { INT64_MAX, INT64_MIN } from "../../../../domain/int64.ts";
import { PAGE } from "../../../../domain/pets.ts";
import { ofChange } from "../../openapi-headers.ts";
import { authorOf } from "../../operation.ts";
import { CategoriesQuery, withLimit } from "../../paging.ts";
import { json } from "../../request.ts";
import { etagOf } from "../../responses.ts";
import { NEXT, readPage } from "../fields.ts";
import { operation } from "./operation.ts";

export const CategoryPage = z
  .strictObject({
    categories: z.array(Category).max(PAGE.max),
    next: z
      .bigint()
      .nullable()
      .meta({
        type: ["integer", "null"],
        format: "int64",
        minimum: INT64_MIN,
        maximum: INT64_MAX,
        description: NEXT,
      }),
  })
  .meta({
    id: "CategoryPage",
    description: "A page of categories, by id.",
    examples: [{ categories: [exampleCategory], next: exampleCategory.id }],
  });

export const listCategories = operation({
  id: "listCategories",
  route: "GET /categories",
  role: "viewer",
  summary: "List categories",
  description: "Lists the categories that match all given filters, by id.",
  request: { query: CategoriesQuery },
  answers: { 200: { description: "A page of categories.", schema: CategoryPage } },
  handle: async ({ categories }, { query, context }) => {
    const page = withLimit(query);
    const { items, next } = await readPage(page.limit, (limit) => categories.list({ ...page, limit }));
    return json(context, 200, { categories: items.map(categoryJson), next });
  },
});

export const createCategory = operation({
  id: "createCategory",
  route: "POST /categories",
  role: "admin",
  summary: "Create a category",
  description: "Creates a category under a new id.",
  request: { body: NewCategory },
  answers: { 201: { description: "The category.", schema: Category, example: exampleCategory, headers: ofChange } },
  refusals: ["category_exists"],
  handle: async ({ categories, clock }, { body, context }) => {
    const { created } = await categories.create(body, { by: authorOf(context), now: clock() });
    return json(context, 201, categoryJson(created), { ETag: etagOf(tagOfVersion(created.version)) });
  },
});
