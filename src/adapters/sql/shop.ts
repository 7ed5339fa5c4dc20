import type { Entry } from "../../domain/audit/entry.ts";
import type { Category } from "../../domain/categories/category.ts";
import { nameKey } from "../../domain/pets/name-key.ts";
import { DEFAULT_STATUS } from "../../domain/pets/pet.ts";
import type { Shop } from "../../domain/shop/shop.ts";
import { insertEntry } from "./audit.ts";
import { anyShard } from "./inventory.ts";
import type { Row, Statement, Transaction, Values } from "./sql.ts";

const STATUSES = ["available", "pending", "sold", "placed", "approved", "delivered", "cancelled"] as const;
/** How many there are of each status of pets and orders. */
export type StatusCounts = Record<(typeof STATUSES)[number], number>;

/** The rows that one statement adds: few sizes, so that few statements are prepared. */
const CHUNKS = [100, 10, 1];

export const SELECT_COUNTS = `SELECT ${STATUSES.map((status) => `sum(${status}) AS ${status}`).join(", ")}
  FROM petstore.inventory`;

/** Removes all orders, then all pets, and returns how many there were of each status. */
export type RemoveAll = () => Transaction<StatusCounts>;

/**
 * Replaces all contents of the store; see `ShopStore`. Its order is that in which other transactions lock rows, so that none
 * waits for this one while this one waits for it.
 */
export function* replaceShop(shop: Shop, entry: Entry, removeAll: RemoveAll): Transaction<number[]> {
  yield { text: "DELETE FROM petstore.idempotency_keys", values: {} };
  yield* replaceCategories(shop.categories);
  const removed = yield* removeAll();
  const ids = yield* insertPets(shop);
  yield* insertOrders(shop, ids);
  yield insertEntry(entry);
  yield countAll(shop, removed);
  return ids;
}

/** A category that stays is changed in its place: a request that looks for it finds it at every moment. */
function* replaceCategories(categories: Category[]): Transaction<void> {
  const [row] = yield { text: "SELECT last_version FROM petstore.category_counters FOR UPDATE", values: {} };
  const version = Number(row?.last_version) + 1;
  yield { text: "UPDATE petstore.category_counters SET last_version = :version", values: { version } };
  // No name has such a key, because none contains a control character: two categories may swap their names.
  yield {
    text: "UPDATE petstore.categories SET name_key = :mark || CAST(id AS TEXT), version = 0",
    values: { mark: "\u0001" },
  };
  const rows = categories.map(({ id, name }) => ({ id, name, name_key: nameKey(name), version }));
  yield* insertAll(
    "categories",
    rows,
    "ON CONFLICT (id) DO UPDATE SET name = excluded.name, name_key = excluded.name_key, version = excluded.version",
  );
  yield { text: "DELETE FROM petstore.categories WHERE version = 0", values: {} };
}

/** Returns the ids of the pets. They are given in the order of the rows. */
function* insertPets({ pets }: Shop): Transaction<number[]> {
  const rows = pets.map(({ name, categoryId, status = DEFAULT_STATUS }) => ({
    name,
    category_id: categoryId,
    status,
    name_key: nameKey(name),
  }));
  const inserted = yield* insertAll("pets", rows, "RETURNING id");
  return inserted.map(({ id }) => Number(id)).sort((a, b) => a - b);
}

function* insertOrders({ orders }: Shop, petIds: number[]): Transaction<void> {
  const rows = orders.map(({ pet, status, createdAt, updatedAt }) => ({
    pet_id: Number(petIds[pet]),
    status,
    created_at: createdAt,
    updated_at: updatedAt,
  }));
  yield* insertAll("orders", rows);
}

/** Adds rows that have the same columns. Returns what the statements return. */
function* insertAll(table: string, rows: Values[], ending = ""): Transaction<Row[]> {
  const returned: Row[] = [];
  let start = 0;
  for (const size of CHUNKS) {
    for (; start + size <= rows.length; start += size) {
      for (const row of yield insert(table, rows.slice(start, start + size), ending)) returned.push(row);
    }
  }
  return returned;
}

function insert(table: string, rows: Values[], ending: string): Statement {
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.flatMap((row, i) => columns.map((column) => [`${column}${i}`, row[column] ?? null] as const));
  const tuples = rows.map((_, i) => `(${columns.map((column) => `:${column}${i}`).join(", ")})`);
  return {
    text: `INSERT INTO petstore.${table} (${columns.join(", ")}) VALUES ${tuples.join(", ")} ${ending}`,
    values: Object.fromEntries(values),
  };
}

/** Adds what a shop has to the counts, and subtracts what was removed. */
function countAll({ pets, orders }: Shop, removed: StatusCounts): Statement {
  const changes = Object.fromEntries(STATUSES.map((status) => [status, -removed[status]]));
  const add = (status: string) => {
    changes[status] = (changes[status] ?? 0) + 1;
  };
  for (const { status = DEFAULT_STATUS } of pets) add(status);
  for (const { status } of orders) add(status);
  const sums = STATUSES.map((status) => `${status} = ${status} + :${status}`);
  return {
    text: `UPDATE petstore.inventory SET ${sums.join(", ")} WHERE shard = :shard`,
    values: { ...changes, shard: anyShard() },
  };
}

/** Reads counts from a row that has a column for each status. */
export function statusCountsOf(row: Row | undefined): StatusCounts {
  const counts = STATUSES.map((status) => [status, Number(row?.[status] ?? 0)]);
  return Object.fromEntries(counts);
}
