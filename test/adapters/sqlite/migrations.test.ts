import { afterAll, beforeAll, expect, test } from "bun:test";
import { DatabaseSync } from "node:sqlite";
import { SqlAuditLog } from "../../../src/adapters/sql/audit.ts";
import { textOf } from "../../../src/adapters/sql/counters.ts";
import { SqlIdempotencyKeys } from "../../../src/adapters/sql/idempotency-keys.ts";
import { SqlOperators } from "../../../src/adapters/sql/operators.ts";
import { SqlOrders } from "../../../src/adapters/sql/orders.ts";
import { SqliteCounters } from "../../../src/adapters/sqlite/counters.ts";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { SqliteKeys } from "../../../src/adapters/sqlite/keys.ts";
import { APPLICATION_ID, identityOf, SCHEMA_VERSION } from "../../../src/adapters/sqlite/migrate.ts";
import { initial } from "../../../src/adapters/sqlite/migrations/0001-initial.ts";
import { creations } from "../../../src/adapters/sqlite/migrations/0002-creations.ts";
import { usage } from "../../../src/adapters/sqlite/migrations/0003-usage.ts";
import { administration } from "../../../src/adapters/sqlite/migrations/0004-administration.ts";
import { orderCounts } from "../../../src/adapters/sqlite/migrations/0013-order-counts.ts";
import { petBlocks } from "../../../src/adapters/sqlite/migrations/0021-pet-blocks.ts";
import { limitPages } from "../../../src/adapters/sqlite/migrations/0024-limit-pages.ts";
import { SqlitePets } from "../../../src/adapters/sqlite/pets.ts";
import { noActivity } from "../../../src/domain/keys/store.ts";
import type { LimitState } from "../../../src/domain/limits/limits.ts";
import { OrderStatus } from "../../../src/domain/orders.ts";
import { comparable, insertion, rowsNow, rowsOfSchema4 } from "../rows-of-schema-4.ts";
import { type TemporaryFile, temporaryFile } from "./temporary.ts";

const OBJECTS = "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE type IN ('index', 'trigger') ORDER BY name";

let file: TemporaryFile;
let database: Database;
let objectsBefore: object[];
beforeAll(() => {
  file = temporaryFile();
  const old = new DatabaseSync(file.path);
  for (const step of [initial, creations, usage, administration]) old.exec(step);
  old.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 4; PRAGMA foreign_keys = OFF`);
  for (const [table, rows] of Object.entries(rowsOfSchema4)) {
    for (const row of rows) old.prepare(insertion(table, row, () => "?")).run(...Object.values(row));
  }
  old.exec("INSERT INTO pets (id, name, category_id, status) VALUES (41, 'gone', 1, 'sold')");
  old.exec("DELETE FROM pets WHERE id = 41");
  // Those of the tables that idempotency_keys and pet_blocks replace are gone.
  objectsBefore = old
    .prepare(OBJECTS)
    .all()
    .filter(({ tbl_name, name }) => tbl_name !== "creations" && name !== "pets_by_status");
  old.close();
  database = new Database(file);
});
afterAll(() => {
  database.close();
  file.remove();
});

test("a database of schema 4 is brought up to date", () => {
  expect(identityOf(database)).toEqual({ applicationId: APPLICATION_ID, version: SCHEMA_VERSION });
});

const rows = {
  ...rowsNow,
  keys: rowsNow.keys?.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => name !== "last_used_at"))),
  key_uses: [{ key_id: "key_free", last_used_at: 99 }],
};

/** Limit states have pages in place of rows. */
const tables = Object.entries(rows).filter(([table]) => table !== "counters");
test.each(tables)("every row is kept: %s", (table, rows) => {
  expect(rows?.length).toBeGreaterThan(0);
  expect(comparable(database.prepare(`SELECT * FROM ${table}`).all())).toEqual(comparable(rows));
});

test("the stores read what was written before", async () => {
  const { key, secrets, version } = (await new SqliteKeys(database).get("key_free")) ?? {};
  expect(key).toMatchObject({ plan: "free", limits: { perMinute: 60, perDay: 1_000 }, lastUsedAt: 99 });
  expect(secrets?.map(({ hash }) => hash)).toEqual(["b", "a"]);
  expect(version).toBe(1);
  const counters = new SqliteCounters(database);
  const state = JSON.parse(String(rowsOfSchema4.counters?.[0]?.usage));
  expect(await counters.limitStateOf("key_free")).toEqual(state);
  expect([...(await counters.load())]).toEqual([["key_free", state]]);
  expect(await counters.callTotal("getPet")).toEqual({ callers: 1, calls: 3 });
  expect((await new SqlOperators(database).findBySession("s"))?.operator.name).toBe("Ada");
  expect(await new SqlAuditLog(database).list({ limit: 9 })).toMatchObject([{ id: 4, after: { name: "a" } }]);
});

test("pets of before are in the inventory, and their idempotency keys are still known", async () => {
  const pets = new SqlitePets(database);
  expect(await pets.inventory()).toEqual({ available: 1, pending: 2, sold: 3 });
  expect(pets.list({ status: "sold", after: 0n, limit: 9 }).length).toBe(3);
  const key = { keyId: "key_free", key: "once", now: 5 };
  const { created, isReplay } = await pets.createIdempotently({ name: "Rex", categoryId: -7n }, key);
  expect({ id: created.id, isReplay }).toEqual({ id: 1, isReplay: true });
});

test("indexes and triggers are kept", () => {
  expect(database.prepare(OBJECTS).all()).toEqual(expect.arrayContaining(objectsBefore));
});

test("orders of schema 12 are counted", () => {
  const old = temporaryFile();
  try {
    new Database(old).close();
    const connection = new DatabaseSync(old.path);
    for (const status of OrderStatus.options) connection.exec(`ALTER TABLE inventory DROP COLUMN ${status}`);
    for (const status of ["placed", "cancelled", "cancelled", "delivered", "approved", "cancelled", "delivered"]) {
      connection.exec(
        `INSERT INTO orders (pet_id, status, created_at, updated_at) VALUES (random(), '${status}', 1, 1)`,
      );
    }
    connection.exec(`CREATE INDEX orders_holding ON orders (pet_id); ${orderCounts}`);
    connection.close();
    const migrated = new Database(old);
    const orders = new SqlOrders(migrated, new SqlIdempotencyKeys(migrated));
    expect(orders.counts()).toEqual({ placed: 1, approved: 1, delivered: 2, cancelled: 3 });
    migrated.close();
  } finally {
    old.remove();
  }
});

test("the limit states of schemas 23 and 24 are kept, also by the first change of a page", async () => {
  const window = (count: number) => ({ count, resetAt: 60 * count });
  const stateOf = (i: number): LimitState => ({ minute: window(i), day: window(1_000 + i) });
  const refusedOf = (i: number): LimitState => ({ ...stateOf(i), minute: { ...window(i), refusedAt: 7 } });
  const before = new Map(Array.from({ length: 330 }, (_, i) => [`key_${i}`, i % 3 === 0 ? refusedOf(i) : stateOf(i)]));
  const old = temporaryFile();
  try {
    new Database(old).close();
    const connection = new DatabaseSync(old.path);
    connection.exec(
      "DROP TABLE limit_windows; DROP TABLE limit_keys; CREATE TABLE counters (key_id TEXT PRIMARY KEY, usage TEXT) WITHOUT ROWID",
    );
    const insert = connection.prepare("INSERT INTO counters VALUES (?, ?)");
    for (const [id, state] of before) insert.run(id, textOf(state));
    connection.exec(limitPages);
    saveAsSchema24(connection, 1, stateOf);
    connection.exec("PRAGMA user_version = 24");
    connection.close();
    const migrated = new Database(old);
    const counters = new SqliteCounters(migrated);
    const states = await counters.load();
    expect(new Map(states)).toEqual(before);
    states.set("key_1", stateOf(500));
    await counters.save(states.drain(), noActivity());
    expect(new Map(await counters.load())).toEqual(before.set("key_1", stateOf(500)));
    expect(await counters.limitStateOf("key_3")).toEqual(refusedOf(3));
    migrated.close();
  } finally {
    old.remove();
  }
});

/** Saves a page of 64 keys as schema 24 did after a change: states that are counts alone as numbers, the others as JSON. */
function saveAsSchema24(database: DatabaseSync, number: number, stateOf: (key: number) => LimitState): void {
  const row = database.prepare("SELECT key_ids, others FROM limit_pages WHERE number = ?").get(number);
  const ids = String(row?.key_ids).split(" ");
  const others: Record<string, unknown> = JSON.parse(String(row?.others));
  const numbers = ids.flatMap((id) => {
    if (!Array.isArray(others[id])) return [-1, 0, 0, 0];
    delete others[id];
    const { minute, day } = stateOf(Number(id.replace("key_", "")));
    return [minute.count, minute.resetAt, day.count, day.resetAt];
  });
  const update = database.prepare("UPDATE limit_pages SET numbers = ?, others = ? WHERE number = ?");
  update.run(new Uint8Array(new Float64Array(numbers).buffer), JSON.stringify(others), number);
}

test("the number of keys is that of the table, however some are added or removed", () => {
  const total = () =>
    database
      .prepare("SELECT keys, (SELECT count(*) FROM keys) AS counted FROM key_total")
      .all()
      .map((row) => ({ ...row }));
  const [before] = total();
  const keys = Number(before?.keys);
  expect(keys).toBeGreaterThan(0);
  expect(total()).toEqual([{ keys, counted: keys }]);
  const connection = new DatabaseSync(file.path);
  const add = `INSERT OR IGNORE INTO keys (id, name, plan, per_minute, per_day, scopes, created_at)
    SELECT 'key_many' || value, 'many', 'free', 60, 1000, 'pets:read', value FROM json_each('[1, 2, 3, 4, 5]')`;
  connection.exec(`${add}; ${add}; DELETE FROM keys WHERE id IN ('key_many1', 'key_many2')`);
  expect(total()).toEqual([{ keys: keys + 3, counted: keys + 3 }]);
  connection.exec("DELETE FROM keys WHERE name = 'many'");
  connection.close();
});

test("the blocks of a status are those with such pets, in a database of schema 19 too", () => {
  const old = new DatabaseSync(":memory:");
  old.exec(initial);
  const add = old.prepare("INSERT INTO pets (id, name, category_id, status) VALUES (?, 'Rex', 1, ?)");
  for (const [id, status] of [
    [31, "sold"],
    [32, "sold"],
    [63, "available"],
    [4_000, "pending"],
  ] as const)
    add.run(id, status);
  old.exec(petBlocks);
  expect(
    old
      .prepare("SELECT pet_status, block FROM pet_blocks")
      .all()
      .map((row) => Object.values(row)),
  ).toEqual([
    ["available", 1],
    ["pending", 125],
    ["sold", 0],
    ["sold", 1],
  ]);
  old.close();
});

test("foreign keys refer to the rebuilt tables, and hold", () => {
  expect(database.prepare("PRAGMA foreign_key_list(secrets)").all()).toMatchObject([{ table: "keys", from: "key_id" }]);
  expect(database.prepare("PRAGMA foreign_key_list(sessions)").all()).toMatchObject([{ table: "operators" }]);
  expect(database.prepare("PRAGMA foreign_key_check").all()).toEqual([]);
  expect(() => database.prepare("DELETE FROM keys WHERE id = 'key_free'").run()).toThrow("FOREIGN KEY");
  expect(() => database.prepare("DELETE FROM operators WHERE id = 'op_1'").run()).toThrow("FOREIGN KEY");
});

test("no table lists the values of a column", () => {
  const tables = database.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table'").all();
  expect(tables.map(({ sql }) => String(sql)).filter((sql) => /CHECK \(\w+ IN\b/.test(sql))).toEqual([]);
});

test("a store with keys from before its deployment was recorded is production's", () => {
  expect(() => new Database({ ...file, deployment: "staging" })).toThrow("belongs to production, and this is staging");
});

test("the next pet's id is above every earlier one, also above that of a deleted pet", async () => {
  expect(await new SqlitePets(database).create({ name: "new", categoryId: 1n })).toMatchObject({ id: 42 });
});
