import { PostgresCounters } from "../../src/postgres/counters.ts";
import { PostgresKeys } from "../../src/postgres/keys.ts";
import { countersConformance } from "../conformance/counters.ts";
import { usePostgres } from "./opened.ts";

const open = usePostgres();

countersConformance("PostgreSQL", () =>
  open((database) => ({ counters: new PostgresCounters(database), keys: new PostgresKeys(database) })),
);
