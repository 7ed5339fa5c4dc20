import { changeEntry } from "../audit/change-entry.ts";
import type { Action, Author, EntryOf } from "../audit/entry.ts";
import type { Preconditions } from "../entity-tag.ts";
import { type Category, categoryJson, type NewCategory, type StoredCategory } from "./category.ts";
import type { CategoryStore } from "./store.ts";

/**
 * Creates, renames and removes categories on behalf of `author`. Each change is stored with its audit entry. `now` is Unix
 * ms. Every method throws what the store throws.
 */
export class CategoryAdministration {
  readonly #categories: CategoryStore;
  readonly #author: Author;

  constructor(categories: CategoryStore, author: Author) {
    this.#categories = categories;
    this.#author = author;
  }

  async create(category: NewCategory, now: number): Promise<StoredCategory> {
    const { created } = await this.#categories.create(category, { entryOf: this.#entryOf("category.create", now) });
    return created;
  }

  /** Creates the category under its id, or renames it. */
  put(
    category: Category,
    now: number,
    preconditions?: Preconditions,
  ): Promise<{ category: StoredCategory; isNew: boolean }> {
    const entryOf: EntryOf<StoredCategory> = (before, after) =>
      this.#entryOf(before === undefined ? "category.create" : "category.update", now)(before, after);
    return this.#categories.put(category, { preconditions, entryOf });
  }

  /** Renames categories together, so that they may swap names. */
  rename(categories: readonly Category[], now: number): Promise<void> {
    return this.#categories.rename(categories, this.#entryOf("category.update", now));
  }

  delete(id: bigint, now: number, preconditions?: Preconditions): Promise<void> {
    return this.#categories.delete(id, { preconditions, entryOf: this.#entryOf("category.delete", now) });
  }

  #entryOf(action: Action, at: number): EntryOf<StoredCategory> {
    return changeEntry({ author: this.#author, action, at, json: categoryJson });
  }
}
