import { SqlCategories } from "../../../src/adapters/sql/categories.ts";
import { SqlIdempotencyKeys } from "../../../src/adapters/sql/idempotency-keys.ts";
import { SqlitePets } from "../../../src/adapters/sqlite/pets.ts";
import { categoryCheckConformance } from "../../conformance/category-check.ts";
import { openOnDisk } from "./opened.ts";

categoryCheckConformance("SQLite", () =>
  openOnDisk((database) => {
    const idempotencyKeys = new SqlIdempotencyKeys(database);
    return {
      pets: new SqlitePets(database, idempotencyKeys, { checksCategories: true }),
      categories: new SqlCategories(database, idempotencyKeys),
    };
  }),
);
