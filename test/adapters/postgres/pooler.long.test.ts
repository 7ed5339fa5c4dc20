import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { postgresBulk } from "../../../src/adapters/postgres/bulk.ts";
import { Database } from "../../../src/adapters/postgres/database.ts";
import { migrate } from "../../../src/adapters/postgres/migrate.ts";
import { PostgresPets } from "../../../src/adapters/postgres/pets.ts";
import { eventually } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { hasPgBouncer, PgBouncer } from "../../support/pgbouncer.ts";
import { type Postgres, startPostgres } from "../../support/postgres.ts";

if (!hasPgBouncer) console.log("skipped: there is no pgbouncer on this machine");

describe.skipIf(!hasPgBouncer)("behind PgBouncer in transaction mode", () => {
  let postgres: Postgres;
  let pgbouncer: PgBouncer;
  let database: Database;
  let pets: PostgresPets;
  beforeAll(async () => {
    postgres = await startPostgres();
    pgbouncer = await PgBouncer.before(postgres, 4);
    database = new Database(pgbouncer.url, 10, () => {});
    await migrate(database, "production");
    pets = new PostgresPets(database);
  });
  afterAll(async () => {
    await database.close();
    await pgbouncer.remove();
    await postgres.remove();
  });

  test("nodes migrate one after the other, and leave no lock behind", async () => {
    states("docs/scaling.md", "no advisory locks of a session");
    await Promise.all([migrate(database, "production"), migrate(database, "production")]);
    const locks = () => postgres.query("SELECT * FROM pg_locks WHERE locktype = 'advisory'");
    // The server notices by itself that a connection has ended.
    await eventually(async () => (await locks()).length === 0);
  });

  test("a statement that fails with its commit is not acknowledged", async () => {
    await postgres.query("CREATE TABLE once (id int UNIQUE DEFERRABLE INITIALLY DEFERRED)");
    const insert = () => database.query("INSERT INTO once VALUES (1)");
    await insert();
    await expect(insert()).rejects.toMatchObject({ code: "service_unavailable" });
    expect(await postgres.query("SELECT * FROM once")).toHaveLength(1);
    await postgres.query("DROP TABLE once");
  });

  test("concurrent reads and writes succeed, although connections of the server change hands", async () => {
    states("docs/running.md", "The service recognises it, and then prepares no statements");
    for (let round = 0; round < 20; round++) {
      const names = Array.from({ length: 10 }, (_, i) => `Pet ${round}.${i}`);
      const [added, lists] = await Promise.all([
        Promise.all(names.map((name) => pets.create({ name, categoryId: 1n }, { now: Date.now() }))),
        Promise.all(names.map(() => pets.list({ limit: 20, after: 0n }))),
      ]);
      expect(added.map(({ name }) => name)).toEqual(names);
      expect(lists).toHaveLength(10);
    }
    expect(await pets.list({ limit: 300, after: 0n })).toHaveLength(200);
  });

  test("a statement that waits for a lock is cancelled in the server, and has changed nothing", async () => {
    const before = await postgres.query("SELECT count(*) FROM petstore.pets");
    const other = await database.session();
    await other.query("BEGIN; LOCK TABLE petstore.pets IN EXCLUSIVE MODE");
    await expect(pets.create({ name: "Late", categoryId: 1n }, { now: Date.now() })).rejects.toMatchObject({
      code: "service_unavailable",
      cause: { code: "55P03" },
    });
    await other.end();
    await database.query("SELECT 1");
    expect(await postgres.query("SELECT count(*) FROM petstore.pets")).toEqual(before);
  });

  test("time-outs of the service do not reach other users of a connection", async () => {
    states("docs/scaling.md", "no session settings");
    states("docs/running.md", "and sends its time-outs with each one.");
    const session = await database.session();
    const shown = await session.query(
      "SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock",
    );
    await session.end();
    expect(shown).toEqual([{ statement: "0", lock: "0" }]);
  });

  test("an export reads one snapshot, without pets that are added meanwhile", async () => {
    const [expected] = await postgres.query("SELECT count(*)::int AS count FROM petstore.pets");
    let count = 0;
    for await (const page of postgresBulk(database).snapshot()) {
      await pets.create({ name: "Later", categoryId: 1n }, { now: Date.now() });
      count += page.length;
    }
    expect(count).toBe(Number(expected?.count));
  });
});
