import { expect, test } from "bun:test";
import pg from "pg";
import { postgresBulk, postgresShop } from "../../../src/adapters/postgres/bulk.ts";
import { PostgresEvents } from "../../../src/adapters/postgres/changes.ts";
import { Database } from "../../../src/adapters/postgres/database.ts";
import { migrate } from "../../../src/adapters/postgres/migrate.ts";
import { eventStoreConformance } from "../../conformance/event-store.ts";
import { eventually } from "../../support/eventually.ts";
import { queryAt } from "../../support/postgres.ts";
import { createDatabaseWithSchema } from "../../support/shared-postgres.ts";
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

test("while a dump is open, each read and each pruning reads only what is kept", async () => {
  const { url, drop } = await createDatabaseWithSchema();
  const [database, dump] = [new Database(url, 4, () => {}), new pg.Client(url)];
  await migrate(database, "production");
  await queryAt(
    url,
    `INSERT INTO petstore.events (at, type, resource_id, members)
     SELECT 0, 'pet.created', id, '}' FROM generate_series(1, 10000) AS ids (id)`,
  );
  await dump.connect();
  await dump.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM petstore.events LIMIT 1");
  const events = new PostgresEvents(database);
  while ((await events.prune({ since: 0, most: 1 }, 500)) > 0);
  const newest = await events.newest();
  for (let i = 0; i < 20; i++) {
    expect(await events.list({ after: newest, limit: 1 })).toEqual([]);
    expect(await events.list({ after: 0n, limit: 1 })).toHaveLength(1);
    expect(await events.oldest()).toBe(newest);
  }
  await database.close();
  // A connection reports what it has read when it ends.
  await eventually(async () => {
    const [others] = await queryAt(
      url,
      "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'petstore'",
    );
    return Number(others?.count) === 0;
  });
  const [row] = await queryAt(
    url,
    "SELECT idx_tup_read AS read FROM pg_stat_user_indexes WHERE indexrelname = 'events_pkey'",
  );
  expect(Number(row?.read)).toBeGreaterThan(10_000);
  expect(Number(row?.read)).toBeLessThan(50_000);
  await dump.end();
  await drop();
});
