import { sqlCategories } from "../../../src/adapters/sql/categories.ts";
import { SqlIdempotencyKeys } from "../../../src/adapters/sql/idempotency-keys.ts";
import { SqlOrders } from "../../../src/adapters/sql/orders.ts";
import { SqlEvents } from "../../../src/adapters/sql/records.ts";
import { sqliteBulk, sqliteShop } from "../../../src/adapters/sqlite/bulk.ts";
import { SqlitePets } from "../../../src/adapters/sqlite/pets.ts";
import { eventStoreConformance } from "../../conformance/event-store.ts";
import { openings } from "./opened.ts";

for (const [name, open] of openings) {
  eventStoreConformance(name, () =>
    open((database) => {
      const idempotencyKeys = new SqlIdempotencyKeys(database);
      const pets = new SqlitePets(database, idempotencyKeys);
      return {
        pets,
        categories: sqlCategories(database, idempotencyKeys),
        orders: new SqlOrders(database, idempotencyKeys),
        bulk: sqliteBulk(database, pets),
        shop: sqliteShop(database),
        events: new SqlEvents(database),
      };
    }),
  );
}
