import { z } from "zod";
import { Category, categoryJson, exampleCategory } from "../../../../domain/categories/category.ts";
import { INT64_MAX, INT64_MIN } from "../../../../domain/int64.ts";
import { CategoriesQuery, categoriesPageOf } from "../../page-query.ts";
import { readPage } from "../page.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

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
