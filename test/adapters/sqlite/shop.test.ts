import { sqlCategories } from "../../../src/adapters/sql/categories.ts";
import { SqlIdempotencyKeys } from "../../../src/adapters/sql/idempotency-keys.ts";
import { SqlOrders } from "../../../src/adapters/sql/orders.ts";
import { SqlitePets } from "../../../src/adapters/sqlite/pets.ts";
import { LIFETIME, shopConformance } from "../../conformance/shop.ts";
import { openings } from "./opened.ts";

for (const [name, open] of openings)
  shopConformance(name, () =>
    open((database) => {
      const idempotencyKeys = new SqlIdempotencyKeys(database);
      return {
        pets: new SqlitePets(database, idempotencyKeys),
        categories: sqlCategories(database, idempotencyKeys),
        orders: new SqlOrders(database, idempotencyKeys),
        expiring: new SqlOrders(database, idempotencyKeys, LIFETIME),
        idempotencyKeys,
      };
    }),
  );
