import type { Entry } from "../../domain/audit/entry.ts";
import type { Shop } from "../../domain/shop/shop.ts";
import type { ShopStore } from "../../domain/shop/store.ts";
import { type Columns, replaceShop, type StatusCounts, statusCountsOf } from "../sql/shop.ts";
import type { Transaction } from "../sql/sql.ts";
import type { Database } from "./database.ts";

/** The contents of a PostgreSQL database. */
export class PostgresShop implements ShopStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  replace(shop: Shop, entry: Entry): Promise<number[]> {
    return this.#database.operatorTransaction(() => replaceShop(shop, entry, { removeAll, selectRows }));
  }
}

/**
 * Pets that are added meanwhile stay: their creation comes after this transaction. An order for one of the removed pets, which
 * was placed after the first statement, and before the second one locked the pet, is removed by the third.
 */
function* removeAll(): Transaction<StatusCounts> {
  const removed = { ...(yield* remove("orders")), ...(yield* remove("pets")) };
  const late = yield* remove("orders", "WHERE NOT EXISTS (SELECT 1 FROM petstore.pets WHERE pets.id = orders.pet_id)");
  for (const [status, count] of Object.entries(late)) removed[status] = (removed[status] ?? 0) + count;
  return statusCountsOf(removed);
}

/** Removes rows, and returns how many had each status. */
function* remove(table: "orders" | "pets", where = ""): Transaction<Record<string, number>> {
  const rows = yield {
    text: `WITH removed AS (DELETE FROM petstore.${table} ${where} RETURNING status)
           SELECT status, count(*) AS count FROM removed GROUP BY status`,
    values: {},
  };
  return Object.fromEntries(rows.map(({ status, count }) => [String(status), Number(count)]));
}

function selectRows(columns: Columns): string {
  const types = Object.entries(columns).map(([column, type]) => `${column} ${type}`);
  return `SELECT ${Object.keys(columns).join(", ")} FROM json_to_recordset(CAST(:rows AS json)) AS row (${types.join(", ")})`;
}
