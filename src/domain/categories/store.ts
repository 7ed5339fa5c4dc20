import type { EntryOf } from "../audit/entry.ts";
import type { Awaitable } from "../awaitable.ts";
import type { ChangeOptions, CreationOptions } from "../change-options.ts";
import type { IdempotentCreation } from "../idempotency-key.ts";
import type { Category, NewCategory, StoredCategory } from "./category.ts";

/** A page of categories: at most `limit`, ascending with ids above `after`; with this name but for its case; among `ids`. */
export type CategoriesPage = {
  limit: number;
  after?: bigint | undefined;
  name?: string | undefined;
  ids?: readonly bigint[] | undefined;
};

/** Stores categories. Their ids are any int64; names are unique by `nameKey`. Every method throws service_unavailable. */
export interface CategoryStore {
  /**
   * Creates a category under a new id: positive, below 2^53, never assigned before, and named by no category or pet. With an
   * idempotency key a repeated request creates nothing, and returns the category as it was created.
   * @throws category_exists, idempotency_key_reused, idempotency_in_progress
   */
  create(category: NewCategory, options?: CreationOptions<StoredCategory>): Promise<IdempotentCreation<StoredCategory>>;
  /** Creates the category under this id, or renames it. @throws precondition_failed, category_exists */
  put(
    category: Category,
    options?: ChangeOptions<StoredCategory>,
  ): Promise<{ category: StoredCategory; isNew: boolean }>;
  /**
   * Renames categories together, so that they may swap names: all, or none.
   * @throws category_not_found, category_exists
   */
  rename(categories: readonly Category[], entryOf?: EntryOf<StoredCategory>): Promise<void>;
  /** @throws category_not_found, precondition_failed, category_in_use while a pet has it */
  delete(id: bigint, options?: ChangeOptions<StoredCategory>): Promise<void>;
  get(id: bigint): Awaitable<StoredCategory | undefined>;
  list(page: CategoriesPage): Awaitable<StoredCategory[]>;
}
