import { PostgresCounters } from "../../../src/adapters/postgres/counters.ts";
import { PostgresKeys } from "../../../src/adapters/postgres/keys.ts";
import { countersConformance } from "../../conformance/counters.ts";
import { usePostgres } from "./opened.ts";

const open = usePostgres();

countersConformance("PostgreSQL", () =>
  open((database) => ({ counters: new PostgresCounters(database), keys: new PostgresKeys(database) })),
);
