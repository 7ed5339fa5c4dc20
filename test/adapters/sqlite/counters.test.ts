import { SqliteCounters } from "../../../src/adapters/sqlite/counters.ts";
import { SqliteKeys } from "../../../src/adapters/sqlite/keys.ts";
import { countersConformance } from "../../conformance/counters.ts";
import { openOnDisk } from "./opened.ts";

countersConformance("SQLite", () =>
  openOnDisk((database) => ({ counters: new SqliteCounters(database), keys: new SqliteKeys(database) })),
);
