import { SERVER_TIME } from "../../../src/adapters/postgres/database.ts";
import { sqlAuditLog } from "../../../src/adapters/sql/records.ts";
import { sqlWebhooks } from "../../../src/adapters/sql/webhooks.ts";
import { webhookStoreConformance } from "../../conformance/webhook-store.ts";
import { openOnPostgres } from "./opened.ts";

webhookStoreConformance(
  "PostgreSQL",
  () => openOnPostgres((database) => ({ webhooks: sqlWebhooks(database, SERVER_TIME), audit: sqlAuditLog(database) })),
  { isShared: true },
);
