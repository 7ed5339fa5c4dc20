import type { EntryOf } from "../../domain/audit/entry.ts";
import { type Awaitable, after } from "../../domain/awaitable.ts";
import { type Category, categoryRequest, type NewCategory, tagOfCategory } from "../../domain/categories/category.ts";
import type { CategoriesPage, CategoryChangeOptions, CategoryStore } from "../../domain/categories/store.ts";
import { requireTag } from "../../domain/entity-tag.ts";
import { PetstoreError } from "../../domain/errors.ts";
import type { IdempotencyKey, IdempotentCreation } from "../../domain/idempotency-key.ts";
import { nameKey } from "../../domain/pets/name-key.ts";
import { insertEntry } from "./audit.ts";
import type { SqlIdempotencyKeys } from "./idempotency-keys.ts";
import { among, pageQuery } from "./page-query.ts";
import type { Row, Sql, Transaction } from "./sql.ts";

const COLUMNS = "id, name";

/** Categories of pets. */
export class SqlCategories implements CategoryStore {
  readonly #sql: Sql;
  readonly #idempotencyKeys: SqlIdempotencyKeys;

  constructor(sql: Sql, idempotencyKeys: SqlIdempotencyKeys) {
    this.#sql = sql;
    this.#idempotencyKeys = idempotencyKeys;
  }

  create(
    category: NewCategory,
    { key, entryOf }: { key?: IdempotencyKey | undefined; entryOf?: EntryOf<Category> | undefined } = {},
  ): Promise<IdempotentCreation<Category>> {
    return this.#idempotencyKeys.create(key, {
      request: categoryRequest(category),
      run: () => create(category, entryOf),
      replay: ({ id }) => ({ id, name: category.name }),
    });
  }

  put(category: Category, options: CategoryChangeOptions = {}): Promise<{ category: Category; isNew: boolean }> {
    return this.#sql.transaction(() => put(category, options));
  }

  delete(id: bigint, options: CategoryChangeOptions = {}): Promise<void> {
    return this.#sql.transaction(() => remove(id, options));
  }

  get(id: bigint): Awaitable<Category | undefined> {
    const rows = this.#sql.read(`SELECT ${COLUMNS} FROM petstore.categories WHERE id = :id`, { id });
    return after(rows, ([row]) => row && categoryOf(row));
  }

  list({ limit, after: last, name, ids }: CategoriesPage): Awaitable<Category[]> {
    const { text, values } = pageQuery(`SELECT ${COLUMNS} FROM petstore.categories`, limit, [
      ...(last === undefined ? [] : [{ text: "id > :after", values: { after: last } }]),
      ...(name === undefined ? [] : [{ text: "name_key = :key", values: { key: nameKey(name) } }]),
      ...(ids === undefined ? [] : [among(ids)]),
    ]);
    return after(this.#sql.read(text, values), (rows) => rows.map(categoryOf));
  }
}

function* create({ name }: NewCategory, entryOf: EntryOf<Category> | undefined): Transaction<Category> {
  const last = yield* lockCategories();
  yield* requireFreeName(name);
  const category = { id: yield* nextId(last), name };
  yield { text: "UPDATE petstore.category_ids SET last = :id", values: { id: category.id } };
  yield* add(category, entryOf);
  return category;
}

function* put(
  category: Category,
  { tags, entryOf }: CategoryChangeOptions,
): Transaction<{ category: Category; isNew: boolean }> {
  const { id, name } = category;
  yield* lockCategories();
  const before = yield* find(id);
  requireTag(before && tagOfCategory(before), tags);
  if (before?.name === name) return { category, isNew: false };
  yield* requireFreeName(name, id);
  if (before === undefined) {
    yield* add(category, entryOf);
    return { category, isNew: true };
  }
  yield {
    text: "UPDATE petstore.categories SET name = :name, name_key = :key WHERE id = :id",
    values: { name, key: nameKey(name), id },
  };
  if (entryOf !== undefined) yield insertEntry(entryOf(before, category));
  return { category, isNew: false };
}

function* remove(id: bigint, { tags, entryOf }: CategoryChangeOptions): Transaction<void> {
  yield* lockCategories();
  const category = yield* find(id);
  if (category === undefined) throw new PetstoreError("category_not_found");
  requireTag(tagOfCategory(category), tags);
  const pets = yield { text: "SELECT id FROM petstore.pets WHERE category_id = :id LIMIT 1", values: { id } };
  if (pets.length > 0) throw new PetstoreError("category_in_use");
  yield { text: "DELETE FROM petstore.categories WHERE id = :id", values: { id } };
  if (entryOf !== undefined) yield insertEntry(entryOf(category, undefined));
}

/**
 * Makes changes of categories wait for each other, so that names stay unique. Returns the last id that was assigned.
 */
function* lockCategories(): Transaction<bigint> {
  const [row] = yield { text: "SELECT last FROM petstore.category_ids FOR UPDATE", values: {} };
  return BigInt(String(row?.last));
}

/** Reads a category, and locks it until the transaction ends: no pet gets it meanwhile. */
function* find(id: bigint): Transaction<Category | undefined> {
  const [row] = yield {
    text: `SELECT ${COLUMNS} FROM petstore.categories WHERE id = :id FOR UPDATE`,
    values: { id },
  };
  return row && categoryOf(row);
}

/** Returns the first id above `last` that neither a category nor a pet names: a new category has no pets. */
function* nextId(last: bigint): Transaction<bigint> {
  const [row] = yield {
    text: `WITH RECURSIVE candidates (id) AS (
             SELECT CAST(:last AS BIGINT) + 1
             UNION ALL
             SELECT id + 1 FROM candidates
             WHERE EXISTS (SELECT 1 FROM petstore.categories WHERE categories.id = candidates.id)
               OR EXISTS (SELECT 1 FROM petstore.pets WHERE category_id = candidates.id)
           )
           SELECT max(id) AS id FROM candidates`,
    values: { last },
  };
  return BigInt(String(row?.id));
}

/** @throws category_exists when a category other than `id` has the name, but for its case */
function* requireFreeName(name: string, id?: bigint): Transaction<void> {
  const [row] = yield {
    text: "SELECT id FROM petstore.categories WHERE name_key = :key",
    values: { key: nameKey(name) },
  };
  if (row === undefined || BigInt(String(row.id)) === id) return;
  const message = `Category ${row.id} has this name, but for its case. Names of categories are unique.`;
  throw new PetstoreError("category_exists", { message });
}

function* add(category: Category, entryOf: EntryOf<Category> | undefined): Transaction<void> {
  const { id, name } = category;
  yield {
    text: "INSERT INTO petstore.categories (id, name, name_key) VALUES (:id, :name, :key)",
    values: { id, name, key: nameKey(name) },
  };
  if (entryOf !== undefined) yield insertEntry(entryOf(undefined, category));
}

function categoryOf(row: Row): Category {
  return { id: BigInt(String(row.id)), name: String(row.name) };
}
