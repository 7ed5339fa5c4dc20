import type { Authored } from "../../domain/audit.ts";
import { after } from "../../domain/awaitable.ts";
import {
  type Category,
  type CategoryStore,
  categoryJson,
  type NewCategory,
  nameTaken,
  type StoredCategory,
} from "../../domain/categories.ts";
import { type ChangeOptions, requireTag, tagOfVersion } from "../../domain/changes.ts";
import { PetstoreError, unavailable } from "../../domain/errors.ts";
import { nameKey } from "../../domain/pets.ts";
import type { SqlIdempotencyKeys } from "./idempotency-keys.ts";
import { record } from "./records.ts";
import { among, insertRow, pageQuery, type Row, type Sql, type Statement, type Transaction } from "./sql.ts";

/** The ids that one statement tries, and how far ahead the attempts begin: clients may name many ids in a row. */
const TRIED = 1_000;

const REACHES = [0, 2 ** 20, 2 ** 40];

/**
 * Returns an id above `last` that neither a category nor a pet names, since a new category has no pets, nor the event of a removed
 * category, whose versions go on. It is the first one, unless very many in a row are named.
 */
function* nextId(last: bigint): Transaction<bigint> {
  for (const reach of REACHES) {
    const id = yield* freeIdAfter(last + BigInt(Math.floor(Math.random() * reach)));
    if (id !== undefined) return id;
  }
  throw unavailable(new Error("no free id was found for a category"));
}

/**
 * Returns the first free id of those that one statement tries. The smallest value of a range is found by an index also where a
 * planner expects each category to have many pets, and would read the table until it finds one.
 */
function* freeIdAfter(start: bigint): Transaction<bigint | undefined> {
  const [row] = yield {
    text: `WITH RECURSIVE candidates (id) AS (
             SELECT CAST(:start AS BIGINT) + 1
             UNION ALL
             SELECT id + 1 FROM candidates
             WHERE id <= CAST(:start AS BIGINT) + ${TRIED}
               AND (EXISTS (SELECT 1 FROM petstore.categories WHERE categories.id = candidates.id)
                 OR (SELECT min(category_id) FROM petstore.pets
                   WHERE category_id BETWEEN candidates.id AND candidates.id) IS NOT NULL
                 OR EXISTS (SELECT 1 FROM petstore.events
                   WHERE resource_id = candidates.id AND lower(type) = 'category.deleted'))
           )
           SELECT max(id) AS id FROM candidates`,
    values: { start },
  };
  const id = BigInt(String(row?.id));
  return id > start + BigInt(TRIED) ? undefined : id;
}

const COLUMNS = "id, name, version";

/** The version of a category that the service gave its id, which no other category had. */
const FIRST_VERSION = 1;

export function sqlCategories(sql: Sql, idempotencyKeys: SqlIdempotencyKeys): CategoryStore {
  return {
    create: (category, { key, ...authored }) =>
      idempotencyKeys.create(key, {
        request: `createCategory ${category.name}`,
        run: () => create(category, authored),
        replay: ({ ids: [id = 0n] }) => ({ id, name: category.name, version: FIRST_VERSION }),
      }),
    put: (category, options) => sql.transaction(() => put(category, options)),
    delete: (id, options) => sql.transaction(() => remove(id, options)),
    get(id) {
      const rows = sql.read(`SELECT ${COLUMNS} FROM petstore.categories WHERE id = :id`, { id });
      return after(rows, ([row]) => row && categoryOf(row));
    },
    list({ limit, after: last, name, ids }) {
      const { text, values } = pageQuery(`SELECT ${COLUMNS} FROM petstore.categories`, limit, [
        ...(last === undefined ? [] : [{ text: "id > :after", values: { after: last } }]),
        ...(name === undefined ? [] : [{ text: "name_key = :key", values: { key: nameKey(name) } }]),
        ...(ids === undefined ? [] : [among(ids)]),
      ]);
      return after(sql.read(text, values), (rows) => rows.map(categoryOf));
    },
  };
}

function* create({ name }: NewCategory, authored: Authored): Transaction<StoredCategory> {
  const { lastId } = yield* lockCategories();
  yield* requireFreeName(name);
  const id = yield* nextId(lastId);
  yield { text: "UPDATE petstore.category_counters SET last_id = :id", values: { id } };
  const category = { id, name, version: FIRST_VERSION };
  yield* add(category, authored);
  return category;
}

function* put(
  { id, name }: Category,
  { preconditions, ...authored }: ChangeOptions,
): Transaction<{ category: StoredCategory; isNew: boolean }> {
  const { lastVersion } = yield* lockCategories();
  const before = yield* find(id);
  requireTag(before && tagOfVersion(before.version), preconditions);
  if (before?.name === name) return { category: before, isNew: false };
  yield* requireFreeName(name, id);
  const category = { id, name, version: lastVersion + 1 };
  yield { text: "UPDATE petstore.category_counters SET last_version = last_version + 1", values: {} };
  if (before === undefined) yield* add(category, authored);
  else yield* replace(before, category, authored);
  return { category, isNew: before === undefined };
}

function* remove(id: bigint, { preconditions, ...authored }: ChangeOptions): Transaction<void> {
  const version = (yield* lockCategories()).lastVersion + 1;
  const category = yield* find(id);
  if (category === undefined) throw new PetstoreError("category_not_found");
  requireTag(tagOfVersion(category.version), preconditions);
  const [used] = yield {
    text: "SELECT min(category_id) AS id FROM petstore.pets WHERE category_id BETWEEN :id AND :id",
    values: { id },
  };
  if (used?.id != null) throw new PetstoreError("category_in_use");
  yield { text: "DELETE FROM petstore.categories WHERE id = :id", values: { id } };
  // A category that gets this id later has a later version.
  yield { text: "UPDATE petstore.category_counters SET last_version = :version", values: { version } };
  yield* record({ action: "category.delete", json: categoryJson, before: category, version }, authored);
}

function* replace(before: StoredCategory, category: StoredCategory, authored: Authored): Transaction<void> {
  const { id, name, version } = category;
  yield {
    text: "UPDATE petstore.categories SET name = :name, name_key = :key, version = :version WHERE id = :id",
    values: { name, key: nameKey(name), version, id },
  };
  yield* record({ action: "category.update", json: categoryJson, before, after: category }, authored);
}

/** Makes changes of categories wait for each other, so that names stay unique. Returns what was assigned last. */
function* lockCategories(): Transaction<{ lastId: bigint; lastVersion: number }> {
  const text = "SELECT last_id, last_version FROM petstore.category_counters FOR UPDATE";
  const [row] = yield { text, values: {} };
  return { lastId: BigInt(String(row?.last_id)), lastVersion: Number(row?.last_version) };
}

/** Reads a category, and locks it until the transaction ends: no pet gets it meanwhile. */
function* find(id: bigint): Transaction<StoredCategory | undefined> {
  const [row] = yield {
    text: `SELECT ${COLUMNS} FROM petstore.categories WHERE id = :id FOR UPDATE`,
    values: { id },
  };
  return row && categoryOf(row);
}

/** @throws category_exists when a category other than `id` has the name; case is ignored */
function* requireFreeName(name: string, id?: bigint): Transaction<void> {
  const [row] = yield {
    text: "SELECT id FROM petstore.categories WHERE name_key = :key",
    values: { key: nameKey(name) },
  };
  if (row === undefined || BigInt(String(row.id)) === id) return;
  throw nameTaken(row.id);
}

function* add(category: StoredCategory, authored: Authored): Transaction<void> {
  const { id, name, version } = category;
  yield insertRow("categories", { id, name, name_key: nameKey(name), version });
  yield* record({ action: "category.create", json: categoryJson, after: category }, authored);
}

function categoryOf(row: Row): StoredCategory {
  return { id: BigInt(String(row.id)), name: String(row.name), version: Number(row.version) };
}

/** Whether a category exists. It then does until the transaction ends. */
export function* categoryExists(id: bigint): Transaction<boolean> {
  const rows = yield { text: "SELECT id FROM petstore.categories WHERE id = :id FOR SHARE", values: { id } };
  return rows.length > 0;
}

/** Returns the statement that selects those of these categories that exist. They then do until the transaction ends. */
export function selectCategories(ids: readonly bigint[]): Statement {
  const { text, values } = among(ids);
  return { text: `SELECT id FROM petstore.categories WHERE ${text} FOR SHARE`, values };
}
