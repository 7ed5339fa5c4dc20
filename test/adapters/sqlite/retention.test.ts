import { SqlIdempotencyKeys } from "../../../src/adapters/sql/idempotency-keys.ts";
import { SqlOrders } from "../../../src/adapters/sql/orders.ts";
import { sqlAuditLog } from "../../../src/adapters/sql/records.ts";
import { SqliteCounters } from "../../../src/adapters/sqlite/counters.ts";
import { SqliteKeys } from "../../../src/adapters/sqlite/keys.ts";
import { SqlitePets } from "../../../src/adapters/sqlite/pets.ts";
import { retentionConformance } from "../../conformance/retention.ts";
import { openings } from "./opened.ts";

for (const [name, open] of openings)
  retentionConformance(name, () =>
    open((database) => ({
      pets: new SqlitePets(database),
      orders: new SqlOrders(database, new SqlIdempotencyKeys(database)),
      keys: new SqliteKeys(database),
      counters: new SqliteCounters(database),
      audit: sqlAuditLog(database),
      sql: database,
    })),
  );
