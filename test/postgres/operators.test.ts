import { PostgresAuditLog } from "../../src/postgres/audit.ts";
import { PostgresKeys } from "../../src/postgres/keys.ts";
import { PostgresOperators } from "../../src/postgres/operators.ts";
import { operatorStoreConformance } from "../conformance/operator-store.ts";
import { usePostgres } from "./opened.ts";

const open = usePostgres();

operatorStoreConformance("PostgreSQL", () =>
  open((database) => ({
    operators: new PostgresOperators(database),
    audit: new PostgresAuditLog(database),
    keys: new PostgresKeys(database),
  })),
);
