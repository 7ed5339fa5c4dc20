import { afterAll, beforeAll, expect, test } from "bun:test";
import pg from "pg";
import { PostgresOrders } from "../../../src/adapters/postgres/changes.ts";
import { PostgresCounters } from "../../../src/adapters/postgres/counters.ts";
import { Database } from "../../../src/adapters/postgres/database.ts";
import { PostgresKeys } from "../../../src/adapters/postgres/keys.ts";
import { migrate } from "../../../src/adapters/postgres/migrate.ts";
import { initial } from "../../../src/adapters/postgres/migrations/0001-initial.ts";
import { creations } from "../../../src/adapters/postgres/migrations/0002-creations.ts";
import { usage } from "../../../src/adapters/postgres/migrations/0003-usage.ts";
import { administration } from "../../../src/adapters/postgres/migrations/0004-administration.ts";
import { keyVersions } from "../../../src/adapters/postgres/migrations/0005-key-versions.ts";
import { categoriesAndOrders } from "../../../src/adapters/postgres/migrations/0011-categories-and-orders.ts";
import { orderCounts } from "../../../src/adapters/postgres/migrations/0013-order-counts.ts";
import { keyTotal } from "../../../src/adapters/postgres/migrations/0020-key-total.ts";
import { deprecatedTotals } from "../../../src/adapters/postgres/migrations/0022-deprecated-totals.ts";
import { PostgresPets } from "../../../src/adapters/postgres/pets.ts";
import { SqlIdempotencyKeys } from "../../../src/adapters/sql/idempotency-keys.ts";
import { createDatabase } from "../../support/shared-postgres.ts";
import { comparable, insertion, rowsNow, rowsOfSchema4 } from "../rows-of-schema-4.ts";

let store: Awaited<ReturnType<typeof createDatabase>>;
let client: pg.Client;
let database: Database;
const query = async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows;
beforeAll(async () => {
  store = await createDatabase();
  client = new pg.Client(store.url);
  await client.connect();
  database = new Database(store.url, 2, () => {});
  await query("CREATE SCHEMA petstore");
  await query("CREATE TABLE petstore.migrations (version BIGINT PRIMARY KEY)");
  await query("INSERT INTO petstore.migrations SELECT generate_series(1, 4)");
  for (const step of [initial, creations, usage, administration]) {
    for (const statement of step) await query(statement);
  }
  for (const [table, rows] of Object.entries(rowsOfSchema4)) {
    for (const row of rows) {
      await query(
        insertion(`petstore.${table}`, row, (i) => `$${i + 1}`),
        Object.values(row),
      );
    }
  }
  expect(await migrate(database, "production")).toBe(4);
}, 30_000);
afterAll(async () => {
  await Promise.all([client.end(), database.close()]);
  await store.drop();
});

test.each(Object.entries(rowsNow))("every row is kept: %s", async (table, rows) => {
  expect(rows?.length).toBeGreaterThan(0);
  expect(comparable(await query(`SELECT * FROM petstore.${table}`))).toEqual(comparable(rows));
});

test("the stores read what was written before", async () => {
  expect(await new PostgresKeys(database).get("key_free")).toMatchObject({ key: { plan: "free" }, version: 1 });
});

test("pets of before are in the inventory, and their idempotency keys are still known", async () => {
  const pets = new PostgresPets(database);
  expect(await pets.inventory()).toEqual({ available: 1, pending: 2, sold: 3 });
  const key = { keyId: "key_free", key: "once", now: 5 };
  const { created, isReplay } = await pets.createIdempotently({ name: "Rex", categoryId: -7n }, key);
  expect({ id: created.id, isReplay }).toEqual({ id: 1, isReplay: true });
});

test("a store with keys from before its deployment was recorded is production's", async () => {
  await expect(migrate(database, "staging")).rejects.toThrow("belongs to production, and this is staging");
});

test("no table lists the values of a column", async () => {
  const checks = await query(
    `SELECT pg_get_constraintdef(oid) AS text FROM pg_constraint
     WHERE contype = 'c' AND connamespace = 'petstore'::regnamespace`,
  );
  const texts = checks.map(({ text }) => String(text));
  expect(texts.length).toBeGreaterThan(0);
  expect(texts.filter((text) => text.includes("ARRAY"))).toEqual([]);
});

test("a migration may run twice, as after a crash in the middle of it", async () => {
  for (const status of ["placed", "cancelled", "cancelled", "delivered", "approved", "cancelled", "delivered"]) {
    await query(
      `INSERT INTO petstore.orders (pet_id, status, created_at, updated_at) VALUES (1000 * random(), '${status}', 1, 1)`,
    );
  }
  for (const statement of [...keyVersions, ...categoriesAndOrders, ...orderCounts, ...orderCounts]) {
    await query(statement);
  }
  const orders = new PostgresOrders(database, new SqlIdempotencyKeys(database));
  expect(await orders.counts()).toEqual({ placed: 1, approved: 1, delivered: 2, cancelled: 3 });
  expect(await new PostgresPets(database).inventory()).toEqual({ available: 1, pending: 2, sold: 3 });
  expect(await query("SELECT last_id FROM petstore.category_counters")).toHaveLength(1);
});

test("the number of keys is that of the table, however some are added or removed", async () => {
  const total = async () =>
    (await query("SELECT keys, (SELECT count(*) FROM petstore.keys) AS counted FROM petstore.key_total"))[0];
  const before = Number((await total())?.counted);
  expect(before).toBeGreaterThan(0);
  expect(await total()).toEqual({ keys: String(before), counted: String(before) });
  const add = `INSERT INTO petstore.keys (id, name, plan, per_minute, per_day, scopes, created_at)
    SELECT 'key_many' || n, 'many', 'free', 60, 1000, 'pets:read', n FROM generate_series(1, 30) AS n`;
  await query(add);
  await query(`${add} ON CONFLICT DO NOTHING`);
  await query("DELETE FROM petstore.keys WHERE id IN ('key_many1', 'key_many2')");
  expect(await total()).toEqual({ keys: String(before + 28), counted: String(before + 28) });
  await query("UPDATE petstore.key_total SET keys = 0");
  for (const statement of keyTotal) await query(statement);
  expect(await total()).toEqual({ keys: String(before + 28), counted: String(before + 28) });
  await query("DELETE FROM petstore.keys WHERE name = 'many'");
});

test("the calls of deprecated operations are summed once, also if the migration runs twice", async () => {
  const counters = new PostgresCounters(database);
  expect(await counters.callTotal("getPet")).toEqual({ callers: 1, calls: 3 });
  await query("UPDATE petstore.deprecated_totals SET callers = 0, calls = 0");
  for (const statement of deprecatedTotals) await query(statement);
  expect(await counters.callTotal("getPet")).toEqual({ callers: 1, calls: 3 });
});

test("a migration waits for a lock for 3 s only, says what to do, and succeeds later", async () => {
  await query("DELETE FROM petstore.migrations WHERE version > 4");
  const other = await database.session();
  await other.query("BEGIN; LOCK TABLE petstore.keys IN ACCESS SHARE MODE");
  const startedAt = performance.now();
  await expect(migrate(database, "production")).rejects.toThrow(/held a lock on a table for 3 s.*pg_stat_activity/);
  expect(performance.now() - startedAt).toBeWithin(2_900, 6_000);
  await other.end();
  expect(await migrate(database, "production")).toBe(4);
}, 15_000);
