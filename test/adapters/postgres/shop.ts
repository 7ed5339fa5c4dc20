import { PostgresOrders } from "../../../src/adapters/postgres/changes.ts";
import type { Database } from "../../../src/adapters/postgres/database.ts";
import { PostgresPets } from "../../../src/adapters/postgres/pets.ts";
import { sqlCategories } from "../../../src/adapters/sql/categories.ts";
import { SqlIdempotencyKeys } from "../../../src/adapters/sql/idempotency-keys.ts";
import { LIFETIME, type Shop } from "../../conformance/shop.ts";

/** The stores of everything that is sold, on one database. */
export function shopOn(database: Database): Shop {
  const idempotencyKeys = new SqlIdempotencyKeys(database);
  return {
    pets: new PostgresPets(database, idempotencyKeys),
    categories: sqlCategories(database, idempotencyKeys),
    orders: new PostgresOrders(database, idempotencyKeys),
    expiring: new PostgresOrders(database, idempotencyKeys, LIFETIME),
    idempotencyKeys,
  };
}
