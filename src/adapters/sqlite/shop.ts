import type { Entry } from "../../domain/audit/entry.ts";
import type { Shop } from "../../domain/shop/shop.ts";
import type { ShopStore } from "../../domain/shop/store.ts";
import { replaceShop, SELECT_COUNTS, type StatusCounts, statusCountsOf } from "../sql/shop.ts";
import type { Transaction } from "../sql/sql.ts";
import type { Database } from "./database.ts";

/** The contents of a SQLite database. */
export class SqliteShop implements ShopStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  replace(shop: Shop, entry: Entry): Promise<number[]> {
    return this.#database.transaction(() => replaceShop(shop, entry, removeAll));
  }
}

/** Nobody else writes meanwhile: the counts are those of what it removes. */
function* removeAll(): Transaction<StatusCounts> {
  const [row] = yield { text: SELECT_COUNTS, values: {} };
  yield { text: "DELETE FROM orders", values: {} };
  yield { text: "DELETE FROM pets", values: {} };
  return statusCountsOf(row);
}
