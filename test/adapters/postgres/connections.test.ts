import { expect, test } from "bun:test";
import pg from "pg";
import { Database } from "../../../src/adapters/postgres/database.ts";
import type { Transaction } from "../../../src/adapters/sql/sql.ts";
import { createDatabase } from "../../support/shared-postgres.ts";

const UNAVAILABLE = { code: "service_unavailable" };

test("a server that allows only reads, as a standby, is refused", async () => {
  const { url, drop } = await createDatabase();
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query("SELECT current_database() AS name");
  await client.query(`ALTER DATABASE ${rows[0].name} SET default_transaction_read_only = on`);
  await client.end();
  const database = new Database(url, 1, () => {});
  await expect(database.all("SELECT 1")).rejects.toMatchObject(UNAVAILABLE);
  await expect(database.session()).rejects.toMatchObject(UNAVAILABLE);
  await database.close();
  await drop();
});

test("a connection whose statement the server cancelled is used again", async () => {
  const { url, drop } = await createDatabase();
  const database = new Database(url, 2, () => {});
  const query = (text: string) => database.query({ name: "", text });
  const backend = async () => (await query("SELECT pg_backend_pid() AS pid"))[0]?.pid;
  const before = await backend();
  await expect(query("SELECT pg_sleep(3)")).rejects.toMatchObject(UNAVAILABLE);
  expect(await backend()).toBe(before);
  await expect(query("SELECT 1 / 0")).rejects.toMatchObject(UNAVAILABLE);
  expect(await backend()).toBe(before);
  await database.close();
  await drop();
});

test("a connection that does not answer in time is replaced", async () => {
  const { url, drop } = await createDatabase();
  const database = new Database(url, 1, () => {});
  const backend = async () => (await database.query({ name: "", text: "SELECT pg_backend_pid() AS pid" }))[0]?.pid;
  const before = await backend();
  process.kill(Number(before), "SIGSTOP");
  await expect(backend()).rejects.toMatchObject(UNAVAILABLE);
  process.kill(Number(before), "SIGCONT");
  expect(await backend()).not.toBe(before);
  await database.close();
  await drop();
});

test("clients, their transactions and operators share as many connections as are allowed", async () => {
  const { url, drop } = await createDatabase();
  const database = new Database(url, 3, () => {});
  const text = "SELECT pg_backend_pid() AS pid, pg_sleep(0.05)";
  const query = () => database.query({ name: "", text });
  const answers = await Promise.all([...Array.from({ length: 6 }, query), database.all(text), database.all(text)]);
  expect(new Set(answers.map(([row]) => row?.pid)).size).toBe(2);
  await database.close();
  await drop();
});

test("no statement is compiled (JIT), even if the server would compile it", async () => {
  const { url, drop } = await createDatabase();
  const database = new Database(url, 3, () => {});
  const text = "SELECT current_setting('jit') AS jit";
  function* inTransaction(): Transaction<unknown> {
    return yield { text, values: {} };
  }
  expect(
    (await database.read("SELECT setting AS jit FROM pg_settings WHERE name = 'jit' AND reset_val = 'on'"))[0],
  ).toEqual({ jit: "off" });
  expect(await database.all(text)).toEqual([{ jit: "off" }]);
  expect(await database.transaction(inTransaction)).toEqual([{ jit: "off" }]);
  await database.close();
  await drop();
});
