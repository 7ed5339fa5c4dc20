import { PostgresKeys } from "../../../src/adapters/postgres/keys.ts";
import { sqlOperators } from "../../../src/adapters/sql/operators.ts";
import { sqlAuditLog } from "../../../src/adapters/sql/records.ts";
import { operatorStoreConformance } from "../../conformance/operator-store.ts";
import { openOnPostgres } from "./opened.ts";

operatorStoreConformance("PostgreSQL", () =>
  openOnPostgres((database) => ({
    operators: sqlOperators(database),
    audit: sqlAuditLog(database),
    keys: new PostgresKeys(database),
  })),
);
