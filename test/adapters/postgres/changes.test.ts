import { afterAll, beforeAll, expect, test } from "bun:test";
import { Database, numbered } from "../../../src/adapters/postgres/database.ts";
import { migrate } from "../../../src/adapters/postgres/migrate.ts";
import { selectOrders } from "../../../src/adapters/sql/orders.ts";
import { seekByPosition } from "../../../src/adapters/sql/sql.ts";
import type { OrdersPage } from "../../../src/domain/orders.ts";
import { type Postgres, startPostgres } from "../../support/postgres.ts";

/** Of 40,000 orders a quarter are for one pet. */
const PET = 7n;

let postgres: Postgres;
let database: Database;
beforeAll(async () => {
  postgres = await startPostgres();
  database = new Database(postgres.url, 2, () => {});
  await migrate(database, "production");
  await postgres.query(
    `INSERT INTO petstore.orders (pet_id, status, created_at, updated_at)
     SELECT CASE id % 4 WHEN 0 THEN ${PET} ELSE id END, CASE id % 3 WHEN 0 THEN 'cancelled' ELSE 'delivered' END, id, id
     FROM generate_series(1, 40000) AS numbers (id)`,
  );
  await postgres.query("ANALYZE petstore.orders");
});
afterAll(async () => {
  await database.close();
  await postgres.remove();
});

test.each<[string, OrdersPage]>([
  ["all", { limit: 20 }],
  ["of a status", { limit: 20, status: "cancelled" }],
  ["of a pet", { limit: 20, petId: PET }],
  ["of a pet and a status", { limit: 20, petId: PET, status: "cancelled" }],
  ["of a pet, newest first", { limit: 20, petId: PET, order: "desc" }],
])("a page of orders reads few rows: %s", async (_, page) => {
  const { text, values } = numbered(
    ...(Object.values(selectOrders("*", page, seekByPosition)) as [string, Record<string, bigint>]),
  );
  const plan = await postgres.query(
    `EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF, SUMMARY OFF) ${text}`,
    values.map(String),
  );
  const steps = plan.map((row) => String(row["QUERY PLAN"]));
  const counts = [...steps.join("\n").matchAll(/(?:rows=|Rows Removed.*: )(\d+)/g)];
  const rows = counts.map(([, count]) => Number(count));
  expect(rows.length).toBeGreaterThan(1);
  expect(Math.max(...rows), steps.join("\n")).toBeLessThanOrEqual(200);
});
