import { expect, test } from "bun:test";
import pg from "pg";
import { Database } from "../../../src/adapters/postgres/database.ts";
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

test("a connection whose query timed out is not used again", async () => {
  const { url, drop } = await createDatabase();
  const database = new Database(url, 1, () => {});
  const backend = async () => (await database.first("SELECT pg_backend_pid() AS pid"))?.pid;
  const before = await backend();
  await expect(database.all("SELECT pg_sleep(3)")).rejects.toMatchObject(UNAVAILABLE);
  expect(await backend()).not.toBe(before);
  await expect(database.all("SELECT 1 / 0")).rejects.toMatchObject(UNAVAILABLE);
  const after = await backend();
  expect(await backend()).toBe(after);
  await database.close();
  await drop();
});
