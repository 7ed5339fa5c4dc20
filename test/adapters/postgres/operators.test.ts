import { PostgresAuditLog } from "../../../src/adapters/postgres/audit.ts";
import { PostgresKeys } from "../../../src/adapters/postgres/keys.ts";
import { PostgresOperators } from "../../../src/adapters/postgres/operators.ts";
import { operatorStoreConformance } from "../../conformance/operator-store.ts";
import { openOnPostgres } from "./opened.ts";

operatorStoreConformance("PostgreSQL", () =>
  openOnPostgres((database) => ({
    operators: new PostgresOperators(database),
    audit: new PostgresAuditLog(database),
    keys: new PostgresKeys(database),
  })),
);
