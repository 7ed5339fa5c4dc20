import { sqlCategories } from "../../../src/adapters/sql/categories.ts";
import { SqlIdempotencyKeys } from "../../../src/adapters/sql/idempotency-keys.ts";
import { SqlOrders } from "../../../src/adapters/sql/orders.ts";
import { SqlEvents, sqlAuditLog } from "../../../src/adapters/sql/records.ts";
import { sqliteShop } from "../../../src/adapters/sqlite/bulk.ts";
import { SqlitePets } from "../../../src/adapters/sqlite/pets.ts";
import { LIFETIME } from "../../conformance/shop.ts";
import { shopStoreConformance } from "../../conformance/shop-store.ts";
import { openings } from "./opened.ts";

for (const [name, open] of openings) {
  shopStoreConformance(name, () =>
    open((database) => {
      const idempotencyKeys = new SqlIdempotencyKeys(database);
      return {
        shop: sqliteShop(database),
        pets: new SqlitePets(database, idempotencyKeys),
        categories: sqlCategories(database, idempotencyKeys),
        orders: new SqlOrders(database, idempotencyKeys, LIFETIME),
        audit: sqlAuditLog(database),
        events: new SqlEvents(database),
      };
    }),
  );
}
