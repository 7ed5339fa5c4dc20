import { sqlCategories } from "../../../src/adapters/sql/categories.ts";
import { SqlIdempotencyKeys } from "../../../src/adapters/sql/idempotency-keys.ts";
import { sqlAuditLog } from "../../../src/adapters/sql/records.ts";
import { sqliteBulk } from "../../../src/adapters/sqlite/bulk.ts";
import { SqlitePets } from "../../../src/adapters/sqlite/pets.ts";
import { categoryCheckConformance } from "../../conformance/category-check.ts";
import { openings } from "./opened.ts";

for (const [name, open] of openings)
  categoryCheckConformance(name, () =>
    open((database) => {
      const idempotencyKeys = new SqlIdempotencyKeys(database);
      const pets = new SqlitePets(database, idempotencyKeys, { checksCategories: true });
      return {
        pets,
        bulk: sqliteBulk(database, pets),
        categories: sqlCategories(database, idempotencyKeys),
        audit: sqlAuditLog(database),
      };
    }),
  );
