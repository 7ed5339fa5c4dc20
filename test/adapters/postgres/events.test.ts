import { postgresBulk, postgresShop } from "../../../src/adapters/postgres/bulk.ts";
import { PostgresEvents } from "../../../src/adapters/postgres/changes.ts";
import { eventStoreConformance } from "../../conformance/event-store.ts";
import { openOnPostgres } from "./opened.ts";
import { shopOn } from "./shop.ts";

eventStoreConformance("PostgreSQL", () =>
  openOnPostgres((database) => ({
    ...shopOn(database),
    bulk: postgresBulk(database),
    shop: postgresShop(database),
    events: new PostgresEvents(database),
  })),
);
