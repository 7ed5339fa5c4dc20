import { z } from "zod";
import type { Awaitable } from "./awaitable.ts";
import type { ChangeOptions, CreationOptions, IdempotentCreation } from "./changes.ts";
import { invalidField, PetstoreError } from "./errors.ts";
import { exactInteger } from "./json.ts";
import { PAGE } from "./pets.ts";
import { anyInt64, nameUpTo } from "./schemas.ts";

export const categoryName = nameUpTo(
  100,
  "The category's name: not blank, without control characters, stored exactly as sent. No two categories have names that differ only in case.",
  "Dogs",
);
const name = categoryName.schema;

/** docs/interface.md, Categories: the body that creates or renames a category. Unknown fields are ignored. */
export const NewCategory = z.object({ name }, { error: "must be a JSON object with name" }).meta({
  id: "NewCategory",
  description: "The request body that creates or renames a category. Unknown fields are ignored.",
  examples: [{ name: "Dogs" }],
});
export type NewCategory = z.infer<typeof NewCategory>;

export function nameTaken(id: unknown): PetstoreError {
  const message = `Category ${id} has this name. Names of categories are unique; case is ignored.`;
  return new PetstoreError("category_exists", { message });
}

export const exampleCategory = { id: 1, name: "Dogs" };

/** docs/interface.md, Categories: Category. */
export const Category = z
  .object({
    id: anyInt64("Identifier of the category: any int64. The service assigns positive ones below 2^53."),
    name,
  })
  .meta({ id: "Category", description: "A category of pets.", examples: [exampleCategory] });
export type Category = z.infer<typeof Category>;

/**
 * A category as it is stored. Each change gives it a version that no category with its id had before, also if it was removed
 * since and created again.
 */
export type StoredCategory = Category & { version: number };

export const Categories = z
  .array(Category)
  .max(PAGE.max)
  .meta({ id: "Categories", description: "Categories, by id, ascending." });

/** A category for JSON.stringify, which writes `id` with all its digits. */
export function categoryJson({ id, name }: Category) {
  return { id: exactInteger(id), name };
}

/** A page of categories: at most `limit`, ascending with ids above `after`; with this name but for its case; among `ids`. */
export type CategoriesPage = {
  limit: number;
  after?: bigint | undefined;
  name?: string | undefined;
  ids?: readonly bigint[] | undefined;
};

/**
 * Stores categories. Their ids are any int64; names are unique by `nameKey`. A change of an author is stored with its audit
 * entry, or neither. Every method throws service_unavailable.
 */
export interface CategoryStore {
  /**
   * Creates a category under a new id: positive, below 2^53, never assigned before, and named by no category or pet. With an
   * idempotency key a repeated request creates nothing, and returns the category as it was created.
   * @throws category_exists, idempotency_key_reused, idempotency_in_progress
   */
  create(category: NewCategory, options: CreationOptions): Promise<IdempotentCreation<StoredCategory>>;
  /** Creates the category under this id, or renames it. @throws precondition_failed, category_exists */
  put(category: Category, options: ChangeOptions): Promise<{ category: StoredCategory; isNew: boolean }>;
  /** @throws category_not_found, precondition_failed, category_in_use while a pet has it */
  delete(id: bigint, options: ChangeOptions): Promise<void>;
  get(id: bigint): Awaitable<StoredCategory | undefined>;
  list(page: CategoriesPage): Awaitable<StoredCategory[]>;
}

/** The refusal of a pet that would get a category that does not exist. */
export function unknownCategory(field = "categoryId"): PetstoreError {
  return invalidField(field, "must be the id of a category");
}
