import { expect, test } from "bun:test";
import pg from "pg";
import { Database } from "../../../src/adapters/postgres/database.ts";
import type { Transaction } from "../../../src/adapters/sql/sql.ts";
import type { Deployment } from "../../../src/domain/deployment.ts";
import { openPostgresStores } from "../../../src/wiring/postgres-stores.ts";
import { eventually } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { queryAt, startPostgres, startStandby } from "../../support/postgres.ts";
import { createDatabase, sharedPostgresUrl } from "../../support/shared-postgres.ts";

const RULES = { checksCategories: false };
const UNAVAILABLE = { code: "service_unavailable" };

test("a standby is refused, and of several hosts the primary is used", async () => {
  states(
    "docs/running.md",
    "Several hosts in the URL, `postgres://user@a:5432,b:5432/petstore`, are tried in order until one accepts writes",
  );
  const primary = await startPostgres();
  const standby = await startStandby(primary);
  const database = new Database(standby.url, 1, () => {});
  await expect(database.all("SELECT 1")).rejects.toMatchObject(UNAVAILABLE);
  await expect(database.session()).rejects.toMatchObject(UNAVAILABLE);
  await database.close();

  // Of several hosts the other one is used, by a start too, also while the standby hangs.
  const url = primary.url.replace("127.0.0.1", `127.0.0.1:${standby.port},127.0.0.1`);
  for (const prepare of [() => {}, () => standby.freeze()]) {
    prepare();
    const stores = await openPostgresStores({ url, poolSize: 3, deployment: "production" }, RULES, () => {}, []);
    expect(await stores.check()).toBe("ready");
    await stores.close();
  }
  standby.thaw();
  await standby.remove();
  await primary.remove();
});

test.each(["pets", "keys", "secrets"])(
  "a node is not ready while somebody has locked the table of %s",
  async (table) => {
    states("CHANGELOG.md", "`/readyz` on PostgreSQL also looks up a key:");
    const { url, drop } = await createDatabase();
    const stores = await openPostgresStores({ url, poolSize: 3, deployment: "production" }, RULES, () => {}, []);
    const other = new pg.Client(url);
    await other.connect();
    await other.query(`BEGIN; LOCK TABLE petstore.${table} IN ACCESS EXCLUSIVE MODE`);
    await expect(stores.check()).rejects.toMatchObject(UNAVAILABLE);
    await other.query("ROLLBACK");
    expect(await stores.check()).toBe("ready");
    await other.end();
    await stores.close();
    await drop();
  },
);

test("while the database takes no writes, reads go on, a start too, and writes are refused until it does", async () => {
  states(
    "docs/running.md",
    "`/readyz` | The service can serve requests: all (`ready`), or only those that read (`read-only`).",
  );
  states(
    "docs/reliability.md",
    "Reads go on, and `/readyz` says `read-only`. Creations and changes get 503. A node can start.",
  );
  states(
    "docs/upgrading.md",
    "Creations and changes get 503, `/readyz` says `read-only`",
    "Give it space, and let it write again. The service notices by itself.",
  );
  const [{ url, drop }, server] = [await createDatabase(), await sharedPostgresUrl()];
  const open = (deployment: Deployment = "production") =>
    openPostgresStores({ url, poolSize: 3, deployment }, RULES, () => {}, []);
  const stores = await open();
  const rex = { name: "Rex", categoryId: 1n };
  const pet = await stores.pets.create(rex, { now: Date.now() });
  const set = async (value: "on" | "off") => {
    const name = new URL(url).pathname.slice(1);
    await queryAt(server, `ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`);
    await queryAt(server, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
    // The first statement may find that its connection has ended.
    await stores.size().catch(() => {});
  };
  expect(await stores.check()).toBe("ready");
  await set("on");
  expect(await stores.check()).toBe("read-only");
  await expect(open("staging")).rejects.toThrow("belongs to production, and this is staging");
  const restarted = await open();
  for (const { pets } of [stores, restarted]) {
    expect(await pets.list({ limit: 1, after: 0n })).toEqual([pet]);
    await expect(pets.create(rex, { now: Date.now() })).rejects.toMatchObject(UNAVAILABLE);
  }
  await restarted.close();
  await set("off");
  expect(await stores.check()).toBe("ready");
  await stores.pets.create(rex, { now: Date.now() });
  await stores.close();
  await drop();
});

test("a connection that takes no writes any more is replaced by one that does", async () => {
  const { url, drop } = await createDatabase();
  const database = new Database(url, 1, () => {});
  const query = (text: string) => database.query(text);
  await query("CREATE TABLE noted (id bigint)");
  // As a failover leaves the connections to a primary that is behind a proxy.
  await query("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY");
  expect(await database.isReadOnly()).toBe(true);
  await expect(query("INSERT INTO noted VALUES (1)")).rejects.toMatchObject(UNAVAILABLE);
  await query("INSERT INTO noted VALUES (2)");
  expect(await query("SELECT id FROM noted")).toEqual([{ id: "2" }]);
  await database.close();
  await drop();
});

test("a connection whose statement the server cancelled is used again", async () => {
  const { url, drop } = await createDatabase();
  const database = new Database(url, 2, () => {});
  const query = (text: string) => database.query(text);
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
  states(
    "docs/development/stores.md",
    "The server cancels a statement after 1 s, so no abandoned one keeps its connection; one that timed out without the server's answer is closed.",
  );
  const { url, drop } = await createDatabase();
  const database = new Database(url, 1, () => {});
  const backend = async () => (await database.query("SELECT pg_backend_pid() AS pid"))[0]?.pid;
  const before = await backend();
  process.kill(Number(before), "SIGSTOP");
  await expect(backend()).rejects.toMatchObject(UNAVAILABLE);
  process.kill(Number(before), "SIGCONT");
  expect(await backend()).not.toBe(before);
  await database.close();
  await drop();
});

test("clients, their transactions and operators share as many connections as are allowed", async () => {
  states("docs/running.md", "each process, so each worker, uses at most `PETSTORE_DATABASE_POOL`, at least 3.");
  const { url, drop } = await createDatabase();
  const database = new Database(url, 3, () => {});
  const text = "SELECT pg_backend_pid() AS pid, pg_sleep(0.05)";
  const query = () => database.query(text);
  const answers = await Promise.all([...Array.from({ length: 6 }, query), database.all(text), database.all(text)]);
  expect(new Set(answers.map(([row]) => row?.pid)).size).toBe(2);
  await database.close();
  await drop();
});

test("a fifth of the connections serves operators, a third transactions that may wait, and the rest other requests", async () => {
  states(
    "docs/running.md",
    "A fifth of them serves operators, so that their searches do not delay clients; a third serves transactions that may have to wait for a pet, so that those do not delay reads.",
  );
  const { url, drop } = await createDatabase();
  const database = new Database(url, 15, () => {});
  const text = "SELECT pg_backend_pid() AS pid, pg_sleep(0.05)";
  function* waiting(): Transaction<Record<string, unknown>[]> {
    return yield { text, values: {} };
  }
  // Twice as many at once as there are connections for them: more connections would serve them, too.
  const used = async (count: number, run: () => Promise<Record<string, unknown>[]>) => {
    const processes = new Set<unknown>();
    await eventually(async () => {
      for (const [row] of await Promise.all(Array.from({ length: 2 * count }, run))) processes.add(row?.pid);
      return processes.size >= count;
    });
    return processes;
  };
  const operators = await used(3, () => database.all(text));
  const transactions = await used(5, () => database.transaction(waiting));
  const clients = await used(7, () => database.query(text));
  expect([operators.size, transactions.size, clients.size]).toEqual([3, 5, 7]);
  expect(new Set([...operators, ...transactions, ...clients]).size).toBe(15);
  await database.close();
  await drop();
});

test("no statement is compiled (JIT), even if the server would compile it", async () => {
  states("docs/scaling.md", "The service switches PostgreSQL's compiler (JIT) off on its connections");
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
