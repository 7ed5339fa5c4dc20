import type { Action, Authored } from "../../domain/audit.ts";
import { type Category, categoryJson } from "../../domain/categories.ts";
import { type NewEvent, newEvent, partsOf } from "../../domain/changes.ts";
import { toJson } from "../../domain/json.ts";
import { OrderStatus, orderJson, type StoredOrder } from "../../domain/orders.ts";
import { DEFAULT_STATUS, FIRST_VERSION, nameKey, PetStatus, petJson } from "../../domain/pets.ts";
import { type ResetOptions, resetEntry, type Shop } from "../../domain/shop.ts";
import { orderRow } from "./orders.ts";
import { count, petRow } from "./pets.ts";
import { EVENT_COLUMNS, eventRow, insertEntry } from "./records.ts";
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
  orders: {
    pet_id: "bigint",
    pet_name: "text",
    pet_category_id: "bigint",
    status: "text",
    created_at: "bigint",
    updated_at: "bigint",
  },
  events: {
    at: "bigint",
    type: "text",
    resource_id: "bigint",
    members: "text",
  },
} as const;
type Table = keyof typeof COLUMNS;
export type Columns = Readonly<Record<string, "bigint" | "text">>;

/** What the engines write differently. */
type Dialect = {
  /** Removes all orders, then all pets, with the events of it, and returns how many there were of each status. */
  removeAll: (authored: Authored) => Transaction<StatusCounts>;
  /** A query for the rows in the parameter `:rows`, a JSON array of objects, in their order. */
  selectRows: (columns: Columns) => string;
};

/**
 * Replaces all contents of the store; see `ShopStore`. Its order is that in which other transactions lock rows, so that none
 * waits for this one while this one waits for it.
 */
export function* replaceShop(shop: Shop, options: ResetOptions, dialect: Dialect): Transaction<number[]> {
  yield { text: "DELETE FROM petstore.idempotency_keys", values: {} };
  const events: NewEvent[] = yield* replaceCategories(shop.categories, options, dialect);
  const removed = yield* dialect.removeAll({ requestId: options.by.requestId, now: options.now });
  const ids = yield* insertPets(shop, dialect);
  for (const [i, { name, categoryId, status = DEFAULT_STATUS }] of shop.pets.entries()) {
    const pet = { id: Number(ids[i]), name, categoryId, status, version: FIRST_VERSION };
    events.push(newEvent({ action: "pet.create", json: petJson, after: pet }, options));
  }
  for (const order of yield* insertOrders(shop, ids, dialect)) {
    events.push(newEvent({ action: "order.place", json: orderJson, after: order }, options));
  }
  yield* insertAll(dialect, "events", events.map(eventRow));
  yield insertEntry(resetEntry(shop, options));
  yield countAll(shop, removed);
  return ids;
}

/**
 * A category that stays is changed in its place: a request that looks for it finds it at every moment. Returns the events of the
 * changes.
 */
function* replaceCategories(categories: Category[], options: ResetOptions, dialect: Dialect): Transaction<NewEvent[]> {
  const [row] = yield { text: "SELECT last_version FROM petstore.category_counters FOR UPDATE", values: {} };
  const version = Number(row?.last_version) + 1;
  yield { text: "UPDATE petstore.category_counters SET last_version = :version", values: { version } };
  const before = (yield { text: "SELECT id, name FROM petstore.categories", values: {} }).map(({ id, name }) => ({
    id: BigInt(String(id)),
    name: String(name),
  }));
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
  const [known, kept] = [before, categories].map((some) => new Set(some.map(({ id }) => id)));
  const eventOf = (action: Action, category: Category) =>
    newEvent({ action, json: categoryJson, after: { ...category, version } }, options);
  return [
    ...categories.map((category) => eventOf(known?.has(category.id) ? "category.update" : "category.create", category)),
    ...before.filter(({ id }) => !kept?.has(id)).map((category) => eventOf("category.delete", category)),
  ];
}

function* insertPets({ pets }: Shop, dialect: Dialect): Transaction<number[]> {
  return idsIn(yield* insertAll(dialect, "pets", pets.map(petRow), "RETURNING id"));
}

function* insertOrders({ pets, orders }: Shop, petIds: number[], dialect: Dialect): Transaction<StoredOrder[]> {
  const stored = orders.map(({ pet: at, ...times }) => {
    const { name = "", categoryId = 0n } = pets[at] ?? {};
    return { petId: Number(petIds[at]), pet: { name, categoryId }, ...times };
  });
  const rows = stored.map((order) => ({ ...orderRow(order), status: order.status, updated_at: order.updatedAt }));
  const ids = idsIn(yield* insertAll(dialect, "orders", rows, "RETURNING id"));
  return stored.map((order, i) => ({ id: Number(ids[i]), ...order, version: FIRST_VERSION }));
}

/** Returns the ids of inserted rows. They are given in the order of the rows. */
function idsIn(rows: Row[]): number[] {
  return rows.map(({ id }) => Number(id)).sort((a, b) => a - b);
}

/** Returns the statement that adds the events of a removal of rows. `data` is the SQL of their JSON without the id. */
export function insertRemoved(
  noun: "pet" | "order",
  rows: { text: string; data: string },
  authored: Authored,
): Statement {
  const type = `${noun}.deleted` as const;
  const { start, end } = partsOf(type, authored);
  const version = `'","version":' || (version + 1) || ',"data":{"id":'`;
  const members = `CAST(:start AS TEXT) || id || ${version} || id || ',' || substr(${rows.data}, 2) || CAST(:end AS TEXT)`;
  return {
    text: `INSERT INTO petstore.events (${EVENT_COLUMNS}) SELECT CAST(:at AS BIGINT), '${type}', id, ${members} FROM ${rows.text}`,
    values: { at: authored.now, start, end },
  };
}

/** The JSON of a removed order, but for its id. A colon before a word would name a parameter. */
export function orderData(quoted: (text: string) => string, time: (column: string) => string): string {
  const member = (name: string, value: string) => `',"${name}":' || ${value}`;
  const pet = `'{"name":' || ${quoted("pet_name")} || ${member("categoryId", "pet_category_id")} || '}'`;
  return [
    `'{"petId":' || pet_id`,
    member("pet", `coalesce(${pet}, 'null')`),
    member("status", quoted("status")),
    `coalesce(${member("reference", quoted("reference"))}, '')`,
    member("createdAt", quoted(time("created_at"))),
    member("updatedAt", quoted(time("updated_at"))),
    `CASE WHEN status = 'placed' AND expires_at IS NOT NULL THEN ${member("expiresAt", quoted(time("expires_at")))} ELSE '' END`,
    "'}'",
  ].join(" || ");
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
