import { sqlAlerts } from "../../../src/adapters/sql/alerts.ts";
import { sqlAuditLog } from "../../../src/adapters/sql/records.ts";
import { alertStoreConformance } from "../../conformance/alert-store.ts";
import { openOnPostgres } from "./opened.ts";

alertStoreConformance("PostgreSQL", () =>
  openOnPostgres((database) => ({ alerts: sqlAlerts(database), audit: sqlAuditLog(database) })),
);
