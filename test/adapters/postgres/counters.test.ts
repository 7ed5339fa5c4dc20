import { PostgresCounters } from "../../../src/adapters/postgres/counters.ts";
import { PostgresKeys } from "../../../src/adapters/postgres/keys.ts";
import { countersConformance } from "../../conformance/counters.ts";
import { openOnPostgres } from "./opened.ts";

countersConformance("PostgreSQL", () =>
  openOnPostgres((database) => ({ counters: new PostgresCounters(database), keys: new PostgresKeys(database) })),
);
