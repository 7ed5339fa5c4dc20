import { afterAll, beforeAll, describe } from "bun:test";
import { postgresBulk } from "../../../src/adapters/postgres/bulk.ts";
import { PostgresCounters } from "../../../src/adapters/postgres/counters.ts";
import type { Database } from "../../../src/adapters/postgres/database.ts";
import { PostgresKeys } from "../../../src/adapters/postgres/keys.ts";
import { PostgresPets } from "../../../src/adapters/postgres/pets.ts";
import { PostgresUsage } from "../../../src/adapters/postgres/usage.ts";
import { sqlOperators } from "../../../src/adapters/sql/operators.ts";
import { sqlAuditLog } from "../../../src/adapters/sql/records.ts";
import { bulkPetsConformance } from "../../conformance/bulk-pets.ts";
import { countersConformance } from "../../conformance/counters.ts";
import { keyStoreConformance } from "../../conformance/key-store.ts";
import { operatorStoreConformance } from "../../conformance/operator-store.ts";
import { petChangesConformance } from "../../conformance/pet-changes.ts";
import { petStoreConformance } from "../../conformance/pet-store.ts";
import { shopConformance } from "../../conformance/shop.ts";
import { sqlConformance } from "../../conformance/sql.ts";
import { usageStoreConformance } from "../../conformance/usage-store.ts";
import { hasPgBouncer, PgBouncer } from "../../support/pgbouncer.ts";
import { sharedPostgresUrl } from "../../support/shared-postgres.ts";
import { openOnPostgres } from "./opened.ts";
import { shopOn } from "./shop.ts";

if (!hasPgBouncer) console.log("skipped: there is no pgbouncer on this machine");

describe.skipIf(!hasPgBouncer)("behind PgBouncer in transaction mode, with fewer connections than the service", () => {
  let pgbouncer: PgBouncer;
  beforeAll(async () => {
    const { port } = new URL(await sharedPostgresUrl());
    pgbouncer = await PgBouncer.before({ port: Number(port) }, 3);
  });
  afterAll(() => pgbouncer.remove());

  const open =
    <Store>(make: (database: Database) => Store) =>
    () =>
      openOnPostgres(make, (url) => pgbouncer.through(url));

  const openPets = open((database) => new PostgresPets(database));
  petStoreConformance("PostgreSQL", openPets);
  petChangesConformance("PostgreSQL", openPets);
  shopConformance("PostgreSQL", open(shopOn));
  bulkPetsConformance(
    "PostgreSQL",
    open((database) => ({
      pets: new PostgresPets(database),
      bulk: postgresBulk(database),
      audit: sqlAuditLog(database),
    })),
  );
  keyStoreConformance(
    "PostgreSQL",
    open((database) => new PostgresKeys(database)),
  );
  operatorStoreConformance(
    "PostgreSQL",
    open((database) => ({
      operators: sqlOperators(database),
      audit: sqlAuditLog(database),
      keys: new PostgresKeys(database),
    })),
  );
  countersConformance(
    "PostgreSQL",
    open((database) => ({ counters: new PostgresCounters(database), keys: new PostgresKeys(database) })),
  );
  usageStoreConformance(
    "PostgreSQL",
    open((database) => new PostgresUsage(database)),
  );
  sqlConformance(
    "PostgreSQL",
    open((database) => database),
  );
});
