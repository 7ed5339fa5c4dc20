import { postgresBulk } from "../../../src/adapters/postgres/bulk.ts";
import { PostgresPets } from "../../../src/adapters/postgres/pets.ts";
import { sqlCategories } from "../../../src/adapters/sql/categories.ts";
import { SqlIdempotencyKeys } from "../../../src/adapters/sql/idempotency-keys.ts";
import { sqlAuditLog } from "../../../src/adapters/sql/records.ts";
import { categoryCheckConformance } from "../../conformance/category-check.ts";
import { openOnPostgres } from "./opened.ts";

categoryCheckConformance("PostgreSQL", () =>
  openOnPostgres((database) => {
    const idempotencyKeys = new SqlIdempotencyKeys(database);
    return {
      pets: new PostgresPets(database, idempotencyKeys, { checksCategories: true }),
      bulk: postgresBulk(database),
      categories: sqlCategories(database, idempotencyKeys),
      audit: sqlAuditLog(database),
    };
  }),
);
