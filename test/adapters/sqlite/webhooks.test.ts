import { sqlAuditLog } from "../../../src/adapters/sql/records.ts";
import { sqlWebhooks } from "../../../src/adapters/sql/webhooks.ts";
import { webhookStoreConformance } from "../../conformance/webhook-store.ts";
import { openings } from "./opened.ts";

for (const [name, open] of openings)
  webhookStoreConformance(
    name,
    () => open((database) => ({ webhooks: sqlWebhooks(database), audit: sqlAuditLog(database) })),
    { isShared: false },
  );
