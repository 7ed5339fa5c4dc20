import { postgresShop } from "../../../src/adapters/postgres/bulk.ts";
import { PostgresEvents, PostgresOrders } from "../../../src/adapters/postgres/changes.ts";
import { PostgresPets } from "../../../src/adapters/postgres/pets.ts";
import { sqlCategories } from "../../../src/adapters/sql/categories.ts";
import { SqlIdempotencyKeys } from "../../../src/adapters/sql/idempotency-keys.ts";
import { sqlAuditLog } from "../../../src/adapters/sql/records.ts";
import { LIFETIME } from "../../conformance/shop.ts";
import { shopStoreConformance } from "../../conformance/shop-store.ts";
import { openOnPostgres } from "./opened.ts";

shopStoreConformance("PostgreSQL", () =>
  openOnPostgres((database) => {
    const idempotencyKeys = new SqlIdempotencyKeys(database);
    return {
      shop: postgresShop(database),
      pets: new PostgresPets(database, idempotencyKeys),
      categories: sqlCategories(database, idempotencyKeys),
      orders: new PostgresOrders(database, idempotencyKeys, LIFETIME),
      audit: sqlAuditLog(database),
      events: new PostgresEvents(database),
    };
  }),
);
