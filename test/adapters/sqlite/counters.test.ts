import { SqliteCounters } from "../../../src/adapters/sqlite/counters.ts";
import { SqliteKeys } from "../../../src/adapters/sqlite/keys.ts";
import { countersConformance } from "../../conformance/counters.ts";
import { openings } from "./opened.ts";

for (const [name, open] of openings)
  countersConformance(name, () =>
    open((database) => ({ counters: new SqliteCounters(database), keys: new SqliteKeys(database) })),
  );
