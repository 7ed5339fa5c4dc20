import { postgresBulk } from "../../../src/adapters/postgres/bulk.ts";
import { PostgresPets } from "../../../src/adapters/postgres/pets.ts";
import { sqlAuditLog } from "../../../src/adapters/sql/records.ts";
import { bulkPetsConformance } from "../../conformance/bulk-pets.ts";
import { openOnPostgres } from "./opened.ts";

bulkPetsConformance("PostgreSQL", () =>
  openOnPostgres((database) => {
    const pets = new PostgresPets(database);
    return { pets, bulk: postgresBulk(database), audit: sqlAuditLog(database) };
  }),
);
