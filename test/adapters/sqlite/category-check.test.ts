import { SqlCategories } from "../../../src/adapters/sql/categories.ts";
import { SqlIdempotencyKeys } from "../../../src/adapters/sql/idempotency-keys.ts";
import { SqliteBulk } from "../../../src/adapters/sqlite/bulk.ts";
import { SqlitePets } from "../../../src/adapters/sqlite/pets.ts";
import { categoryCheckConformance } from "../../conformance/category-check.ts";
import { openOnDisk } from "./opened.ts";

categoryCheckConformance("SQLite", () =>
  openOnDisk((database) => {
    const idempotencyKeys = new SqlIdempotencyKeys(database);
    const pets = new SqlitePets(database, idempotencyKeys, { checksCategories: true });
    return {
      pets,
      bulk: new SqliteBulk(database, pets),
      categories: new SqlCategories(database, idempotencyKeys),
    };
  }),
);
