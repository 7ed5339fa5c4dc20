import type { IntegerMode } from "./int64.ts";
import type { Kind, QueryOf, Resource } from "./resource.ts";
import type { components, operations } from "./schema.ts";

type Schemas = components["schemas"];

/** The `name` of a category to create or rename. */
export type NewCategory = Schemas["NewCategory"];

/** A category of pets. Its `id`, any int64, is like that of a {@link Pet}. */
export type Category<Mode extends IntegerMode = "mixed"> = Resource<Mode, Schemas["Category"]>;

/** The categories to list: with this `name` (in any case), among these `ids`, with ids above `after`; at most `limit` per page. */
export type CategoryQuery = QueryOf<NonNullable<operations["listCategories"]["parameters"]["query"]>>;

/** A page of categories, by id, ascending. */
export interface CategoryPage<Mode extends IntegerMode = "mixed"> {
  /** The categories on this page, possibly none. */
  readonly categories: Category<Mode>[];
  /** The query for the next page; undefined on the last page. */
  readonly next: CategoryQuery | undefined;
}

export const CATEGORY: Kind<Schemas["Category"]> = {
  name: "a category",
  path: "/categories",
  list: "listCategories",
  integers: ["id"],
};
