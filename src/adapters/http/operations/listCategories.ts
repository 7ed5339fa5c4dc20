import { Categories, categoryJson, exampleCategory } from "../../../domain/categories/category.ts";
import { tagOfVersion } from "../../../domain/entity-tag.ts";
import { ofPage } from "../document-headers.ts";
import { CategoriesQuery, categoriesPageOf } from "../page-query.ts";
import { pageReader } from "../page-reader.ts";
import { operation } from "./operation.ts";

/** GET /categories. Source: docs/categories.md. */
export const listCategories = operation({
  id: "listCategories",
  method: "get",
  path: "/categories",
  scope: "pets:read",
  tag: "categories",
  summary: "List categories",
  description: 'Returns a page of categories, by id, ascending. The `Link` with `rel="next"` leads to the next page.',
  additionTo: "1.0.0",
  request: { query: CategoriesQuery },
  answers: {
    200: {
      description: "A page of categories, possibly empty.",
      schema: Categories,
      example: [exampleCategory],
      headers: ofPage,
    },
  },
  read: ({ categories, pets, pages, baseUrl }) =>
    pageReader({
      url: `${baseUrl}/categories`,
      pageOf: categoriesPageOf,
      read: (page) => categories.list(page),
      jsonOf: categoryJson,
      tagOf: ({ version }) => tagOfVersion(version),
      // It changes with any write to the store that both share.
      revision: () => pets.revision(),
      cache: pages,
    }),
});
