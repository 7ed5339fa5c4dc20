import { PostgresCounters } from "../../src/postgres/counters.ts";
import { PostgresKeys } from "../../src/postgres/keys.ts";
import { countersConformance } from "../conformance/counters.ts";
import { openOnServer } from "./opened.ts";

countersConformance("PostgreSQL", () =>
  openOnServer((database) => ({ counters: new PostgresCounters(database), keys: new PostgresKeys(database) })),
);
