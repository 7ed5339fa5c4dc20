import type { Category } from "../../domain/categories.ts";
import { toJson } from "../../domain/json.ts";
import { OrderStatus } from "../../domain/orders.ts";
import { DEFAULT_STATUS, nameKey, PetStatus } from "../../domain/pets.ts";
import { type ResetOptions, resetEntry, type Shop } from "../../domain/shop.ts";
import { insertEntry } from "./audit.ts";
import { count, petRow } from "./pets.ts";
import type { Row, Statement, Transaction } from "./sql.ts";

export const STATUSES = [...PetStatus.options, ...OrderStatus.options];
/** How many there are of each. */
export type StatusCounts = Record<(typeof STATUSES)[number], number>;

/** The rows that one statement adds. */
const CHUNK = 1_000;

/** The columns of the rows, and their types. */
const COLUMNS = {
  categories: { id: "bigint", name: "text", name_key: "text", version: "bigint" },
  pets: { name: "text", category_id: "bigint", status: "text", name_key: "text" },
  orders: { pet_id: "bigint", status: "text", created_at: "bigint", updated_at: "bigint" },
} as const;
type Table = keyof typeof COLUMNS;
export type Columns = Readonly<Record<string, "bigint" | "text">>;

/** What the engines write differently. */
type Dialect = {
  /** Removes all orders, then all pets, and returns how many there were of each status. */
  removeAll: () => Transaction<StatusCounts>;
  /** A query for the rows in the parameter `:rows`, a JSON array of objects, in their order. */
  selectRows: (columns: Columns) => string;
};

/**
 * Replaces all contents of the store; see `ShopStore`. Its order is that in which other transactions lock rows, so that none
 * waits for this one while this one waits for it.
 */
export function* replaceShop(shop: Shop, options: ResetOptions, dialect: Dialect): Transaction<number[]> {
  yield { text: "DELETE FROM petstore.idempotency_keys", values: {} };
  yield* replaceCategories(shop.categories, dialect);
  const removed = yield* dialect.removeAll();
  const ids = yield* insertPets(shop, dialect);
  yield* insertOrders(shop, ids, dialect);
  yield insertEntry(resetEntry(shop, options));
  yield countAll(shop, removed);
  return ids;
}

/** A category that stays is changed in its place: a request that looks for it finds it at every moment. */
function* replaceCategories(categories: Category[], dialect: Dialect): Transaction<void> {
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
    dialect,
    "categories",
    rows,
    "ON CONFLICT (id) DO UPDATE SET name = excluded.name, name_key = excluded.name_key, version = excluded.version",
  );
  yield { text: "DELETE FROM petstore.categories WHERE version = 0", values: {} };
}

/** Returns the ids of the pets. They are given in the order of the rows. */
function* insertPets({ pets }: Shop, dialect: Dialect): Transaction<number[]> {
  const inserted = yield* insertAll(dialect, "pets", pets.map(petRow), "RETURNING id");
  return inserted.map(({ id }) => Number(id)).sort((a, b) => a - b);
}

function* insertOrders({ orders }: Shop, petIds: number[], dialect: Dialect): Transaction<void> {
  const rows = orders.map(({ pet, status, createdAt, updatedAt }) => ({
    pet_id: Number(petIds[pet]),
    status,
    created_at: createdAt,
    updated_at: updatedAt,
  }));
  yield* insertAll(dialect, "orders", rows);
}

function* insertAll({ selectRows }: Dialect, table: Table, rows: object[], ending = ""): Transaction<Row[]> {
  const columns = COLUMNS[table];
  const insert = `INSERT INTO petstore.${table} (${Object.keys(columns).join(", ")}) ${selectRows(columns)} ${ending}`;
  const returned: Row[] = [];
  for (let start = 0; start < rows.length; start += CHUNK) {
    const values = { rows: toJson(rows.slice(start, start + CHUNK)) };
    for (const row of yield { text: insert, values }) returned.push(row);
  }
  return returned;
}

/** Adds what a shop has to the counts, and subtracts what was removed. */
function countAll({ pets, orders }: Shop, removed: StatusCounts): Statement {
  const changes = { ...removed };
  for (const status of STATUSES) changes[status] = -removed[status];
  for (const { status = DEFAULT_STATUS } of pets) changes[status] += 1;
  for (const { status } of orders) changes[status] += 1;
  return count(changes);
}
