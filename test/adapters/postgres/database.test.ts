import { afterAll, beforeAll, expect, test } from "bun:test";
import { setTimeout as pause } from "node:timers/promises";
import { Hosts, urlsOf } from "../../../src/adapters/postgres/connections.ts";
import { Database } from "../../../src/adapters/postgres/database.ts";
import { migrate } from "../../../src/adapters/postgres/migrate.ts";
import { migrations } from "../../../src/adapters/postgres/migrations.ts";
import { currentVersion } from "../../../src/adapters/sql/sql.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/ports.ts";
import { type Postgres, startPostgres } from "../../support/postgres.ts";

let postgres: Postgres;
let database: Database;
beforeAll(async () => {
  postgres = await startPostgres();
  database = new Database(postgres.url, 2, () => {});
});
afterAll(async () => {
  await database.close();
  await postgres.remove();
});

/** A statement that fails so often with this SQLSTATE before it gives 1. Sequences go on even when a transaction fails. */
async function failing(name: string, sqlstate: string, times: number) {
  await postgres.query(`CREATE SEQUENCE ${name}`);
  await postgres.query(`CREATE FUNCTION ${name}_once() RETURNS int LANGUAGE plpgsql AS $$
    BEGIN IF nextval('${name}') <= ${times} THEN RAISE SQLSTATE '${sqlstate}'; END IF; RETURN 1; END $$`);
  return `SELECT ${name}_once() AS one`;
}

test.each(["40001", "40P01"])("a statement is retried after SQLSTATE %s", async (sqlstate) => {
  const statement = await failing(`conflict_${sqlstate.toLowerCase()}`, sqlstate, 3);
  expect(await database.query(statement)).toEqual([{ one: 1 as never }]);
});

test("retries are bounded, and other errors are not retried", async () => {
  const always = await failing("always", "40001", 100);
  await expect(database.query(always)).rejects.toMatchObject({ code: "service_unavailable" });
  const wrong = await failing("wrong", "22012", 1);
  await expect(database.query(wrong)).rejects.toMatchObject({ code: "service_unavailable" });
  expect(await database.query(wrong)).toEqual([{ one: 1 as never }]);
});

test("a transaction is retried as a whole after a serialization failure", async () => {
  const text = await failing("conflict_in_transaction", "40001", 3);
  await postgres.query("CREATE TABLE written (at_once int)");
  const write = { text: "INSERT INTO written VALUES (:one)", values: { one: 1 } };
  expect(await database.commit(write, { text, values: {} })).toBe(true);
  expect(await postgres.query("SELECT * FROM written")).toEqual([{ at_once: 1 }]);

  const always = await failing("always_in_transaction", "40001", 100);
  await expect(database.commit(write, { text: always, values: {} })).rejects.toMatchObject({
    code: "service_unavailable",
  });
  expect(await postgres.query("SELECT * FROM written")).toHaveLength(1);
  await database.all("SELECT 1");
});

test("a stalled transaction is ended and releases its locks, and the next one succeeds", async () => {
  await postgres.query("CREATE TABLE locked AS SELECT 0 AS number");
  const write = { text: "UPDATE locked SET number = number + 1", values: {} };
  const standstill = {
    text: "SELECT 1",
    get values() {
      Bun.sleepSync(2_500);
      return {};
    },
  };
  await expect(database.commit(write, standstill)).rejects.toMatchObject({ code: "service_unavailable" });
  expect(await database.commit(write)).toBe(true);
  expect(await postgres.query("SELECT number FROM locked")).toEqual([{ number: 1 }]);
});

test("of several hosts the writable one is used", async () => {
  const nobody = await freePort();
  const hosts = postgres.url.replace(/127.0.0.1:\d+/, (host) => `127.0.0.1:${nobody},${host}`);
  const several = new Database(hosts, 2, () => {});
  await expect(several.now()).rejects.toMatchObject({ code: "service_unavailable" });
  await several.now();
  await several.close();
});

test("a session is opened on the writable one of several hosts", async () => {
  const nobody = await freePort();
  const several = new Database(
    postgres.url.replace(/127.0.0.1:\d+/, (host) => `127.0.0.1:${nobody},${host}`),
    2,
    () => {},
  );
  const session = await several.session();
  expect(await session.query("SHOW transaction_read_only")).toEqual([{ transaction_read_only: "off" }]);
  await session.end();
  await several.close();
});

test("a URL with several hosts is split into one per host", () => {
  expect(urlsOf("postgres://u:p%40ss@a:1,b:2/pets?sslmode=verify-full")).toEqual([
    "postgres://u:p%40ss@a:1/pets?sslmode=verify-full",
    "postgres://u:p%40ss@b:2/pets?sslmode=verify-full",
  ]);
  for (const one of ["postgres://a/pets", "postgresql://u@a:5432/pets", "postgres://[::1]:5432/pets"]) {
    expect(urlsOf(one)).toEqual([one]);
  }
});

test("the lock of all nodes is held for as long as the work takes, also if that is seconds", async () => {
  const order: string[] = [];
  const long = database.withLock(async () => {
    order.push("long begins");
    // Longer than a transaction of a request may be idle.
    await pause(2_500);
    order.push("long ends");
  });
  await eventually(() => order.length === 1);
  await database.withLock(async () => void order.push("next"));
  await long;
  expect(order).toEqual(["long begins", "long ends", "next"]);
});

test("of several hosts that fail each has its turn, again and again; who was late changes nothing", () => {
  const hosts = new Hosts("postgres://u@a:1,b:2,c:3/pets", false);
  const [first, second, third] = urlsOf("postgres://u@a:1,b:2,c:3/pets");
  const used: string[] = [];
  for (let i = 0; i < 5; i++) {
    const failed = hosts.current;
    used.push(failed);
    for (let late = 0; late < 3; late++) hosts.failOver(failed);
  }
  expect<unknown>(used).toEqual([first, second, third, first, second]);
});

test("concurrent migrations run one after the other, and a newer schema is refused", async () => {
  const current = currentVersion(migrations);
  const starts = Array.from({ length: 3 }, () => migrate(database, "production"));
  expect((await Promise.all(starts)).map(({ from }) => from).sort()).toEqual([0, current, current]);
  expect(await migrate(database, "production")).toEqual({ from: current, to: current });
  await postgres.query(`INSERT INTO petstore.migrations VALUES (${current + 1})`);
  await expect(migrate(database, "production")).rejects.toThrow("was written by a newer petstore");
});
