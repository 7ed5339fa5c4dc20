import type { Calls, Identified, PetstorePromise } from "./calls.ts";
import type { IntegerMode } from "./int64.ts";
import type { CallOptions, ChangeOptions, CreateOptions } from "./options.ts";
import {
  allOn,
  type Kind,
  type PetstoreIterator,
  pagesFrom,
  type QueryOf,
  type Resource,
  ResourceCalls,
  withToArray,
} from "./resource.ts";
import type { components, Int64, operations } from "./schema.ts";

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
  readonly categories: Identified<Category<Mode>>[];
  /** The query for the next page; undefined on the last page. */
  readonly next: CategoryQuery | undefined;
}

const CATEGORY: Kind<Schemas["Category"]> = {
  name: "a category",
  path: "/categories",
  list: "listCategories",
  integers: ["id"],
};

/** The categories of pets: `petstore.categories`. */
export class Categories<Mode extends IntegerMode = "mixed"> {
  readonly #calls: ResourceCalls<components["schemas"]["Category"], Mode>;

  /** Categories are made by the client. */
  constructor(calls: Calls, mode: Mode) {
    this.#calls = new ResourceCalls(calls, CATEGORY, mode);
  }

  /**
   * Returns a page of categories, by id, ascending: 20 by default, all of `ids`, or `limit`.
   *
   * @example
   * const { categories, next } = await petstore.categories.list({ name: "dogs" });
   * @throws PetstoreError when it is refused or fails; RangeError for a number that is no exact integer
   */
  list(query: CategoryQuery = {}, options: CallOptions = {}): PetstorePromise<CategoryPage<Mode>> {
    return this.#calls.list(query, options, (categories, next) => ({ categories, next }));
  }

  /**
   * Iterates over the pages of all matching categories, of 100 each or `limit`.
   *
   * @example
   * for await (const { categories, next } of petstore.categories.pages()) await process(categories, next?.after);
   * @throws PetstoreError when the service refuses a page or it fails
   */
  pages(query: CategoryQuery = {}, options: CallOptions = {}): PetstoreIterator<Identified<CategoryPage<Mode>>> {
    return withToArray(pagesFrom(query, (next) => this.list(next, options)));
  }

  /**
   * Iterates over all matching categories, by id, page by page.
   *
   * @example
   * for await (const { id, name } of petstore.categories.all()) console.log(id, name);
   * @throws PetstoreError when the service refuses a page or it fails
   */
  all(query: CategoryQuery = {}, options: CallOptions = {}): PetstoreIterator<Identified<Category<Mode>>> {
    return withToArray(allOn(this.pages(query, options), ({ categories }) => categories));
  }

  /**
   * Creates a category. Retries never create it twice.
   *
   * @example
   * const dogs = await petstore.categories.create({ name: "Dogs" });
   * @throws ConflictError `category_exists` when another category has the name
   */
  create(category: NewCategory, options: CreateOptions = {}): PetstorePromise<Category<Mode>> {
    return this.#calls.create("createCategory", category, options);
  }

  /** Returns one category. @throws NotFoundError when it does not exist */
  get(id: Int64, options: CallOptions = {}): PetstorePromise<Category<Mode>> {
    return this.#calls.get("getCategory", id, options);
  }

  /**
   * Creates the category under this id, or renames it: the response has status 201 or 200. After a lost response, a 409 or
   * 412 may be due to the request that was lost: if the category has the name, the call returns it.
   *
   * @example
   * await petstore.categories.put(9223372036854775807n, { name: "Birds" });
   * @throws ConflictError `category_exists` when another category has the name; PreconditionError when the category has
   * another ETag than `ifMatch`, or does not exist
   */
  put(id: Int64, category: NewCategory, options: ChangeOptions = {}): PetstorePromise<Category<Mode>> {
    return this.#calls.one(() => this.#calls.changeCall("putCategory", "PUT", id, category, options));
  }

  /**
   * Removes a category. After a lost response, a category that does not exist counts as removed.
   *
   * @throws NotFoundError when it does not exist; ConflictError `category_in_use` while a pet has it; PreconditionError when
   * it has another ETag than `ifMatch`
   */
  delete(id: Int64, options: ChangeOptions = {}): PetstorePromise<void> {
    return this.#calls.delete("deleteCategory", id, options);
  }
}
