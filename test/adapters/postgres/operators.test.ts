import { PostgresKeys } from "../../../src/adapters/postgres/keys.ts";
import { SqlAuditLog } from "../../../src/adapters/sql/audit.ts";
import { SqlOperators } from "../../../src/adapters/sql/operators.ts";
import { operatorStoreConformance } from "../../conformance/operator-store.ts";
import { openOnPostgres } from "./opened.ts";

operatorStoreConformance("PostgreSQL", () =>
  openOnPostgres((database) => ({
    operators: new SqlOperators(database),
    audit: new SqlAuditLog(database),
    keys: new PostgresKeys(database),
  })),
);
