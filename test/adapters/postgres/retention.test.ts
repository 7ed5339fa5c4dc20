import { PostgresCounters } from "../../../src/adapters/postgres/counters.ts";
import { PostgresKeys } from "../../../src/adapters/postgres/keys.ts";
import { sqlAuditLog } from "../../../src/adapters/sql/records.ts";
import { retentionConformance } from "../../conformance/retention.ts";
import { openOnPostgres } from "./opened.ts";
import { shopOn } from "./shop.ts";

retentionConformance("PostgreSQL", () =>
  openOnPostgres((database) => ({
    ...shopOn(database),
    keys: new PostgresKeys(database),
    counters: new PostgresCounters(database),
    audit: sqlAuditLog(database),
    sql: database,
  })),
);
