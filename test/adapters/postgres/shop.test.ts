import { PostgresOrders } from "../../../src/adapters/postgres/orders.ts";
import { PostgresPets } from "../../../src/adapters/postgres/pets.ts";
import { SqlCategories } from "../../../src/adapters/sql/categories.ts";
import { SqlIdempotencyKeys } from "../../../src/adapters/sql/idempotency-keys.ts";
import { shopConformance } from "../../conformance/shop.ts";
import { openOnPostgres } from "./opened.ts";

shopConformance("PostgreSQL", () =>
  openOnPostgres((database) => {
    const idempotencyKeys = new SqlIdempotencyKeys(database);
    return {
      pets: new PostgresPets(database, idempotencyKeys),
      categories: new SqlCategories(database, idempotencyKeys),
      orders: new PostgresOrders(database, idempotencyKeys),
      idempotencyKeys,
    };
  }),
);
