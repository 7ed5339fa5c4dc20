import { sqlAlerts } from "../../../src/adapters/sql/alerts.ts";
import { sqlAuditLog } from "../../../src/adapters/sql/records.ts";
import { alertStoreConformance } from "../../conformance/alert-store.ts";
import { openings } from "./opened.ts";

for (const [name, open] of openings)
  alertStoreConformance(name, () =>
    open((database) => ({ alerts: sqlAlerts(database), audit: sqlAuditLog(database) })),
  );
