import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { PostgresEvents, PostgresOrders } from "../../../src/adapters/postgres/changes.ts";
import { PostgresCounters } from "../../../src/adapters/postgres/counters.ts";
import { Database } from "../../../src/adapters/postgres/database.ts";
import { migrate, schemaOf } from "../../../src/adapters/postgres/migrate.ts";
import { migrations } from "../../../src/adapters/postgres/migrations.ts";
import { PostgresPets } from "../../../src/adapters/postgres/pets.ts";
import { SqlIdempotencyKeys } from "../../../src/adapters/sql/idempotency-keys.ts";
import { sqlOperators } from "../../../src/adapters/sql/operators.ts";
import { currentVersion } from "../../../src/adapters/sql/sql.ts";
import { migrateDatabase } from "../../../src/adapters/sqlite/migrate-file.ts";
import { besideLoad, eventually } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { NEXT_ON_POSTGRES, nextOnPostgres } from "../../support/next-schema.ts";
import { createDatabase } from "../../support/shared-postgres.ts";
import { temporaryFile } from "../sqlite/temporary.ts";

const CURRENT = currentVersion(migrations);
const NEXT = CURRENT + 1;
const ALL = migrations.map((_, i) => NEXT - migrations.length + i);

let store: Awaited<ReturnType<typeof createDatabase>>;
let client: pg.Client;
let database: Database;

async function open(): Promise<void> {
  store = await createDatabase();
  client = new pg.Client(store.url);
  await client.connect();
  database = new Database(store.url, 4, () => {});
}

async function close(): Promise<void> {
  await Promise.all([client.end(), database.close()]);
  await store.drop();
}

const INDEX = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('petstore.pets_by_version')";
const query = async (text: string) => (await client.query(text)).rows;
/** The same without the name of the schema. */
const unqualified = (facts: Set<string>) => new Set(Array.from(facts, (fact) => fact.replaceAll("petstore.", "")));
const versions = async () =>
  (await query("SELECT version FROM petstore.migrations ORDER BY version")).map(({ version }) => Number(version));

describe("the schema", () => {
  beforeAll(async () => {
    await open();
    expect(await migrate(database, "production")).toEqual({ from: 0, to: CURRENT });
  });
  afterAll(close);

  test("has no table that lists the values of a column", async () => {
    const checks = await query(
      `SELECT pg_get_constraintdef(oid) AS text FROM pg_constraint
       WHERE contype = 'c' AND connamespace = 'petstore'::regnamespace`,
    );
    const texts = checks.map(({ text }) => String(text));
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.filter((text) => text.includes("ARRAY"))).toEqual([]);
  });

  test("loses nothing in a crash but the request history, which docs/monitoring.md says", async () => {
    states(
      "docs/monitoring.md",
      "On PostgreSQL it is the table `petstore.request_segments`, for all nodes. The table is unlogged: it is empty after a crash of the server, and on a replica that takes over.",
    );
    const unlogged = await query(
      "SELECT relname FROM pg_class WHERE relnamespace = 'petstore'::regnamespace AND relkind = 'r' AND relpersistence <> 'p'",
    );
    expect(unlogged.map(({ relname }) => relname)).toEqual(["request_segments"]);
  });

  test("keeps the rows apart that SQLite's keeps apart, and demands the same values", async () => {
    const file = temporaryFile();
    migrateDatabase(file);
    const sqlite = new DatabaseSync(file.path);
    const onSqlite = (text: string) =>
      new Set(
        sqlite
          .prepare(text)
          .all()
          .map(({ fact }) => String(fact)),
      );
    const onPostgres = async (text: string) => new Set((await query(text)).map(({ fact }) => String(fact)));
    /** The facts that only one of them has. */
    const differing = (one: Set<string>, other: Set<string>) => ({
      sqlite: [...one.difference(other)].toSorted(),
      postgres: [...other.difference(one)].toSorted(),
    });

    const keys = differing(
      onSqlite(`SELECT t.name || ' ' || (SELECT group_concat(name, ',' ORDER BY name) FROM pragma_index_info(i.name)) AS fact
                FROM sqlite_schema t, pragma_index_list(t.name) i WHERE t.type = 'table' AND i."unique" = 1
                UNION SELECT t.name || ' ' || group_concat(c.name, ',' ORDER BY c.name) FROM sqlite_schema t, pragma_table_info(t.name) c
                WHERE t.type = 'table' AND c.pk > 0 GROUP BY t.name`),
      await onPostgres(`SELECT indrelid::regclass || ' ' || (SELECT string_agg(attname, ',' ORDER BY attname COLLATE "C")
                        FROM pg_attribute WHERE attrelid = indrelid AND attnum = ANY (indkey)) AS fact
                        FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
                        WHERE indisunique AND relnamespace = 'petstore'::regnamespace`).then(unqualified),
    );
    // What only one of them has is a table of its own, but for tokens, which are random, and orders, which SQLite places one by one.
    expect(keys).toEqual({
      sqlite: [
        ...["key_texts_config k", "key_texts_content id", "key_texts_data id", "key_texts_idx segid,term"],
        ...["key_uses key_id", "limit_keys number", "limit_windows number", "operators token_hash"],
        "pet_blocks block,pet_status",
      ],
      postgres: [
        ...["counters key_id", "key_total is_only", "migrations version", "orders pet_id", "request_segments id"],
        "usage_rankings at,operation,ranking,resolution,who",
      ],
    });

    const required = differing(
      onSqlite(`SELECT t.name || '.' || c.name || iif(c."notnull" = 1 OR c.pk > 0, '', '?') AS fact
                FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'`),
      await onPostgres(`SELECT table_name || '.' || column_name || CASE is_nullable WHEN 'NO' THEN '' ELSE '?' END AS fact
                        FROM information_schema.columns WHERE table_schema = 'petstore'`),
    );
    const own =
      /^(key_text|key_uses|limit_|pet_blocks|sqlite_|compared_keys|counters|key_total|migrations|request_segments|usage_rankings)/;
    const ofBoth = (facts: string[]) => facts.filter((fact) => !own.test(fact));
    // Elsewhere one of them has a column more, or may leave one empty.
    expect([ofBoth(required.sqlite), ofBoth(required.postgres)]).toEqual([
      ["pets.name_key"],
      ["event_gaps.server", "keys.last_used_at?", "pets.name_key?", "usage_writers.pending?"],
    ]);

    const references = differing(
      onSqlite(`SELECT t.name || '.' || f."from" || ' ' || f."table" || '.' || f."to" AS fact
                FROM sqlite_schema t, pragma_foreign_key_list(t.name) f WHERE t.type = 'table'`),
      await onPostgres(`SELECT conrelid::regclass || '.' || a.attname || ' ' || confrelid::regclass || '.' || b.attname AS fact
                        FROM pg_constraint JOIN pg_attribute a ON a.attrelid = conrelid AND a.attnum = conkey[1]
                        JOIN pg_attribute b ON b.attrelid = confrelid AND b.attnum = confkey[1]
                        WHERE contype = 'f' AND connamespace = 'petstore'::regnamespace`).then(unqualified),
    );
    expect(references).toEqual({
      sqlite: ["secrets.key_id keys.id", "sessions.operator_id operators.id"],
      postgres: [],
    });
    // Neither takes an id that clients could not read exactly, nor limits that allow nothing.
    const pet = (id: number) =>
      `INSERT INTO petstore.pets (id, name, category_id, status, name_key) VALUES (${id}, 'Rex', 1, 'available', 'rex')`;
    const order = (id: number) =>
      `INSERT INTO petstore.orders (id, pet_id, status, created_at, updated_at) VALUES (${id}, 1, 'placed', 1, 1)`;
    const key = (limits: string) =>
      `INSERT INTO petstore.keys (id, name, plan, per_minute, per_day, scopes, created_at) VALUES ('key_1', 'a', 'free', ${limits}, '', 1)`;
    for (const text of [pet(1), order(1), key("1, 1")]) {
      sqlite.exec(`BEGIN; ${text.replaceAll("petstore.", "")}; ROLLBACK`);
      await query(`BEGIN; ${text}; ROLLBACK`);
    }
    for (const text of [
      ...[0, 2 ** 53].flatMap((id) => [pet(id), order(id)]),
      ...["0, 1", "1, 0", "NULL, 1", "1, NULL"].map(key),
    ]) {
      expect(() => sqlite.exec(text.replaceAll("petstore.", ""))).toThrow(/CHECK|NOT NULL/);
      await expect(query(text)).rejects.toThrow(/check constraint|not-null/);
    }
    sqlite.close();
    file.remove();
  });

  test("has the number of keys of the table, however some are added or removed", async () => {
    const total = async () =>
      (await query("SELECT keys, (SELECT count(*) FROM petstore.keys) AS counted FROM petstore.key_total"))[0];
    expect(await total()).toEqual({ keys: "0", counted: "0" });
    const add = `INSERT INTO petstore.keys (id, name, plan, per_minute, per_day, scopes, created_at)
      SELECT 'key_many' || n, 'many', 'free', 60, 1000, 'pets:read', n FROM generate_series(1, 30) AS n`;
    await query(add);
    await query(`${add} ON CONFLICT DO NOTHING`);
    await query("DELETE FROM petstore.keys WHERE id IN ('key_many1', 'key_many2')");
    expect(await total()).toEqual({ keys: "28", counted: "28" });
  });

  test("may be made twice, as after a crash in the middle, without a change of what it counts", async () => {
    for (const status of ["placed", "cancelled", "cancelled", "delivered", "approved", "cancelled", "delivered"]) {
      await query(
        `INSERT INTO petstore.orders (pet_id, status, created_at, updated_at) VALUES (1000 * random(), '${status}', 1, 1);
         UPDATE petstore.inventory SET ${status} = ${status} + 1 WHERE shard = 3`,
      );
    }
    const pets = new PostgresPets(database);
    for (const name of ["Rex", "Mia"]) await pets.create({ name, categoryId: 1n }, { now: Date.now() });
    await query("INSERT INTO petstore.deprecated_calls VALUES ('key_many3', 'getPet', 3, 9)");
    await query("UPDATE petstore.category_counters SET last_id = 7");
    const objects = () =>
      query(`SELECT relname, relkind FROM pg_class WHERE relnamespace = 'petstore'::regnamespace
        UNION ALL SELECT tgname, 't' FROM pg_trigger WHERE NOT tgisinternal
        UNION ALL SELECT proname, 'f' FROM pg_proc WHERE pronamespace = 'petstore'::regnamespace ORDER BY 1, 2`);
    const before = await objects();

    for (const statement of migrations.flat()) await query(statement);

    expect(await objects()).toEqual(before);
    const orders = new PostgresOrders(database, new SqlIdempotencyKeys(database));
    expect(await orders.counts()).toEqual({ placed: 1, approved: 1, delivered: 2, cancelled: 3 });
    expect(await pets.inventory()).toEqual({ available: 2, pending: 0, sold: 0 });
    expect(await query("SELECT last_id FROM petstore.category_counters")).toEqual([{ last_id: "7" }]);
    expect(await new PostgresCounters(database).callTotal("getPet")).toEqual({ callers: 1, calls: 3 });
    expect(await query("SELECT keys FROM petstore.key_total")).toEqual([{ keys: "28" }]);
    await query("UPDATE petstore.deprecated_calls SET calls = 5");
    expect(await new PostgresCounters(database).callTotal("getPet")).toEqual({ callers: 1, calls: 5 });
  });

  test("belongs to the deployment that created it", async () => {
    states("docs/running.md", "Share the database with no other program that uses advisory locks.");
    states("docs/scaling.md", "cannot run it: the schema needs triggers, functions and advisory locks of PostgreSQL.");
    const refusal =
      "This database belongs to production, and this is staging. Set DATABASE_URL to a database of staging, or PETSTORE_DEPLOYMENT to production.";
    await expect(migrate(database, "staging")).rejects.toThrow(refusal);
    await expect(migrate(database, "staging", nextOnPostgres)).rejects.toThrow(refusal);
    expect(await versions()).toEqual(ALL);
  });
});

describe("the next migration", () => {
  const OPERATOR = {
    id: "op_1",
    name: "Ada",
    role: "admin",
    token_hash: "t1",
    created_at: "1",
    revoked_at: null,
    provider: null,
    subject: null,
  };
  const operators = () => query("SELECT * FROM petstore.operators");

  beforeEach(async () => {
    await open();
    await migrate(database, "production");
    await query(`INSERT INTO petstore.operators VALUES ('op_1', 'Ada', 'admin', 't1', 1, NULL);
      INSERT INTO petstore.sessions VALUES ('s', 'op_1', 1, 2)`);
  });
  afterEach(close);

  test("runs alone, and keeps every row", async () => {
    expect(await schemaOf(database, nextOnPostgres)).toEqual({ version: CURRENT, current: NEXT });
    expect(await migrate(database, "production", nextOnPostgres)).toEqual({ from: CURRENT, to: NEXT });
    expect(await versions()).toEqual([...ALL, NEXT]);
    expect(await operators()).toEqual([{ ...OPERATOR, language: null }]);
    expect((await sqlOperators(database).findBySession("s"))?.operator.name).toBe("Ada");
    expect(await migrate(database, "production", nextOnPostgres)).toEqual({ from: NEXT, to: NEXT });
    expect(await schemaOf(database, nextOnPostgres)).toEqual({ version: NEXT, current: NEXT });
  });

  test("runs once when several nodes start together", async () => {
    await query("CREATE TABLE runs (at timestamptz DEFAULT now())");
    const counted = [...migrations, [...NEXT_ON_POSTGRES, "INSERT INTO runs DEFAULT VALUES"]];
    const nodes = Array.from({ length: 3 }, () => new Database(store.url, 2, () => {}));
    const results = await Promise.all(nodes.map((node) => migrate(node, "production", counted)));
    await Promise.all(nodes.map((node) => node.close()));
    expect(results.map(({ from }) => from).sort()).toEqual([CURRENT, NEXT, NEXT]);
    expect(await query("SELECT count(*) FROM runs")).toEqual([{ count: "1" }]);
    expect(await versions()).toEqual([...ALL, NEXT]);
  });

  test.each([
    ["fails", "SELECT 1 / 0"],
    ["is cut off", "SELECT pg_terminate_backend(pg_backend_pid())"],
  ])("does not count when it %s in the middle, and runs as a whole the next time", async (_, statement) => {
    states("docs/upgrading.md", "and goes on with the next start on PostgreSQL.");
    const broken = [...migrations, [...NEXT_ON_POSTGRES, statement, "CREATE TABLE petstore.never ()"]];
    await expect(migrate(database, "production", broken)).rejects.toThrow();
    expect(await versions()).toEqual(ALL);
    expect(await query("SELECT to_regclass('petstore.never') AS name")).toEqual([{ name: null }]);
    expect(await migrate(database, "production", nextOnPostgres)).toEqual({ from: CURRENT, to: NEXT });
    expect(await operators()).toEqual([{ ...OPERATOR, language: null }]);
  });

  test("leaves the database one that this version may use", async () => {
    await migrate(database, "production", nextOnPostgres);
    expect(await migrate(database, "production")).toEqual({ from: NEXT, to: NEXT });
    expect(await schemaOf(database)).toEqual({ version: NEXT, current: CURRENT });
    expect(await versions()).toEqual([...ALL, NEXT]);
    expect((await sqlOperators(database).findBySession("s"))?.operator.name).toBe("Ada");
  });

  test.each([
    ["is not additive", async () => void (await migrate(database, "production", nextOnPostgres, NEXT))],
    ["does not say whether it is", () => query(`INSERT INTO petstore.migrations (version) VALUES (${NEXT})`)],
  ])("makes the database one that this version refuses if it %s", async (_, add) => {
    states("docs/upgrading.md", "The database records which version may still use it.");
    await add();
    const refusal = `This database was written by a newer petstore (schema ${NEXT}, this one supports ${CURRENT}). Run that version, or restore a backup made with this one.`;
    await expect(migrate(database, "production")).rejects.toThrow(refusal);
    await expect(schemaOf(database)).rejects.toThrow(refusal);
    expect(await versions()).toEqual([...ALL, NEXT]);
  });

  test("also follows on a schema whose version recorded no oldest one", async () => {
    await query("ALTER TABLE petstore.migrations DROP COLUMN oldest");
    expect(await migrate(database, "production")).toEqual({ from: CURRENT, to: CURRENT });
    expect(await schemaOf(database)).toEqual({ version: CURRENT, current: CURRENT });
    await migrate(database, "production", nextOnPostgres);
    expect(await migrate(database, "production")).toEqual({ from: NEXT, to: NEXT });
  });

  test("makes an index beside writes, and again after it was interrupted", async () => {
    states("docs/upgrading.md", "and makes indexes beside the writes (`CREATE INDEX CONCURRENTLY`).");
    const other = await database.session();
    await other.query("BEGIN; UPDATE petstore.category_counters SET last_id = last_id");
    await other.query("INSERT INTO petstore.pets (name, category_id, status) VALUES ('Rex', 1, 'available')");
    const isValid = async () => (await query(INDEX))[0]?.indisvalid;
    const migrating = migrate(database, "production", nextOnPostgres).catch(({ message }) => message);
    await eventually(async () => (await isValid()) === false);
    const pets = new PostgresPets(database);
    expect(await pets.create({ name: "Mia", categoryId: 1n }, { now: Date.now() })).toMatchObject({ name: "Mia" });

    await query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE query LIKE 'CREATE INDEX CONCURRENTLY%' AND datname = current_database()`,
    );
    expect(await migrating).toContain("terminating connection");
    expect(await isValid()).toBe(false);
    expect(await versions()).toEqual(ALL);
    await other.query("COMMIT");
    await other.end();
    expect(await migrate(database, "production", nextOnPostgres)).toEqual({ from: CURRENT, to: NEXT });
    expect(await isValid()).toBe(true);
  });

  test("waits for a lock for 3 s only, lets requests pass, says what to do, and succeeds later", async () => {
    states(
      "docs/upgrading.md",
      "A transaction, a backup or a maintenance task uses a table that an upgrade changes. | End it, or wait for it, and start again. `pg_stat_activity` lists it.",
    );
    states("docs/running.md", "A migration waits up to 3 s for a lock.");
    states(
      "docs/upgrading.md",
      "it asks for a lock on a table for half a second at a time and 3 s in all",
      "`Another session has held a lock on a table for 3 s` at startup",
    );
    const other = await database.session();
    await other.query("BEGIN; LOCK TABLE petstore.operators IN ACCESS SHARE MODE");
    const startedAt = performance.now();
    let isOver = false;
    const refused = migrate(database, "production", nextOnPostgres)
      .catch(({ message }) => message)
      .finally(() => {
        isOver = true;
      });
    while (!isOver) expect(await sqlOperators(database).findBySession("s")).toBeDefined();
    expect(await refused).toMatch(/held a lock on a table for 3 s.*pg_stat_activity/);
    expect(performance.now() - startedAt).toBeWithin(2_900, besideLoad(6_500));
    await other.end();
    expect(await migrate(database, "production", nextOnPostgres)).toEqual({ from: CURRENT, to: NEXT });
  });
});

describe("a schema whose orders do not keep what was sold", () => {
  beforeEach(async () => {
    await open();
    await migrate(database, "production", migrations.slice(0, BEFORE));
  });
  afterEach(close);

  const BEFORE = 3;
  const PLACE = "INSERT INTO petstore.orders (pet_id, status, created_at, updated_at)";
  const addPet = async (name: string) => {
    const [row] = await query(
      `INSERT INTO petstore.pets (name, category_id, status) VALUES ('${name}', 9223372036854775807, 'sold') RETURNING id`,
    );
    return Number(row.id);
  };
  const names = async () =>
    (await query("SELECT pet_name FROM petstore.orders ORDER BY id")).map((row) => row.pet_name);

  test("has them keep it, as far as their pets exist, in several transactions, and twice changes nothing", async () => {
    states(
      "CHANGELOG.md",
      "Existing orders get those that their pets have at the upgrade, and null if the pet is gone.",
    );
    const rex = await addPet("Rex");
    await query(`${PLACE} SELECT ${rex}, 'delivered', 1, 1 FROM generate_series(1, 2500)`);
    await query(
      `SELECT setval('petstore.order_ids', 9007199254740000); ${PLACE} VALUES (${rex}, 'delivered', 1, 1), (99, 'delivered', 1, 1)`,
    );
    await migrate(database, "production");
    expect(await names()).toEqual([...Array(2501).fill("Rex"), null]);
    const [{ transactions }] = await query(
      "SELECT count(DISTINCT xmin::text) AS transactions FROM petstore.orders WHERE pet_name = 'Rex'",
    );
    expect(transactions).toBe("3");
    expect(await new PostgresOrders(database, new SqlIdempotencyKeys(database)).get(1n)).toMatchObject({
      pet: { name: "Rex", categoryId: 9223372036854775807n },
    });
    await query("UPDATE petstore.pets SET name = 'Max'");
    for (const statement of migrations.flat()) await query(statement);
    expect(await names()).toEqual([...Array(2501).fill("Rex"), null]);
  });

  test("also gets those that a node of the earlier version places afterwards", async () => {
    await migrate(database, "production");
    await query(`${PLACE} VALUES (${await addPet("Mia")}, 'placed', 1, 1), (98, 'delivered', 1, 1)`);
    expect(await names()).toEqual(["Mia", null]);
  });
});

describe("a first start", () => {
  beforeEach(open);
  afterEach(close);

  test("that is cut off in the middle is completed by the next one", async () => {
    const [baseline = []] = migrations;
    for (const share of [0.3, 0.8]) {
      const cut = [...baseline.slice(0, share * baseline.length), "SELECT pg_terminate_backend(pg_backend_pid())"];
      await expect(migrate(database, "production", [cut])).rejects.toThrow();
      expect(await versions()).toEqual([]);
      expect(await schemaOf(database)).toEqual({ version: 0, current: CURRENT });
    }
    expect(await migrate(database, "production")).toEqual({ from: 0, to: CURRENT });
    expect(await new PostgresPets(database).create({ name: "Rex", categoryId: 1n }, { now: Date.now() })).toMatchObject(
      { id: 1 },
    );
  });
});

describe("a database that was set back to an earlier state", () => {
  beforeEach(open);
  afterEach(close);

  const ids = async (position: number) =>
    (await new PostgresEvents(database).list({ after: BigInt(position), limit: 100 })).map(({ id }) => id);
  const add = () => new PostgresPets(database).create({ name: "Rex", categoryId: 1n }, { now: Date.now() });

  test("has a feed that goes on above all ids that were given, and refuses the positions that it lacks", async () => {
    states(
      "docs/backups.md",
      "A service that starts notices by the server's identifier and timeline that another server goes on, from a dump, an earlier moment or as a standby: the ids of events then go on as after a restore of SQLite",
    );
    await migrate(database, "production");
    await add();
    await migrate(database, "production");
    await add();
    expect(await ids(0)).toEqual([2, 3]);
    // What a dump has that another server restores: the record of the first server, and an earlier last id.
    await query("UPDATE petstore.event_gaps SET server = '7123456789012345678/1'");
    const from = Date.now() * 1_000;
    await migrate(database, "production");
    await migrate(database, "production");
    for (const lost of [4, 1_000_000]) await expect(ids(lost)).rejects.toMatchObject({ code: "position_expired" });
    const newest = Number(await new PostgresEvents(database).newest());
    expect(await ids(newest)).toEqual([]);
    await add();
    const [first = 0, ...others] = await ids(3);
    expect(others).toEqual([]);
    expect(first).toBeWithin(from, Date.now() * 1_000 + 2);
    expect(newest).toBe(first - 1);
    expect(await ids(first)).toEqual([]);
    for (const lost of [4, 1_000_000]) await expect(ids(lost)).rejects.toMatchObject({ code: "position_expired" });
    expect((await query("SELECT count(*)::int AS gaps FROM petstore.event_gaps"))[0]?.gaps).toBe(2);
  });

  test("is not noticed where the role may not ask which server it is, and the service starts", async () => {
    states("docs/backups.md", "unless its role may not execute `pg_control_system` and `pg_control_checkpoint`.");
    await query(`REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC;
      CREATE ROLE without_control LOGIN PASSWORD 'secret';
      DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO without_control', current_database()); END $$`);
    const url = Object.assign(new URL(store.url), { username: "without_control", password: "secret" });
    const limited = new Database(url.href, 1, () => {});
    try {
      expect(await migrate(limited, "production")).toEqual({ from: 0, to: CURRENT });
      expect(await migrate(limited, "production")).toEqual({ from: CURRENT, to: CURRENT });
      expect(await query("SELECT * FROM petstore.event_gaps")).toEqual([]);
    } finally {
      await limited.close();
      await query("DROP OWNED BY without_control; DROP ROLE without_control");
    }
  });
});

describe("a database of a checkout from before the first release", () => {
  beforeEach(open);
  afterEach(close);

  test.each([1, 6, 23])("is refused with how to carry its data over, and not changed: schema %i", async (version) => {
    await query(`CREATE SCHEMA petstore;
      CREATE TABLE petstore.migrations (version BIGINT PRIMARY KEY);
      INSERT INTO petstore.migrations SELECT generate_series(1, ${version});
      CREATE TABLE petstore.pets (id BIGINT PRIMARY KEY, name TEXT)`);
    const refusal = `This database has schema ${version} of a checkout from before the first release, and cannot be brought up to date. With that checkout, export its categories and pets (\`petstore categories export\`, \`petstore pets export\`). With this version, import both into a new database (\`petstore categories import\`, \`petstore pets import\`): pets get new ids. Orders, keys and operators cannot be carried over: create them again.`;
    await expect(migrate(database, "production")).rejects.toThrow(new Error(refusal));
    await expect(schemaOf(database)).rejects.toThrow(new Error(refusal));
    await expect(migrate(database, "production", nextOnPostgres)).rejects.toThrow(new Error(refusal));
    expect(await versions()).toEqual(Array.from({ length: version }, (_, i) => i + 1));
    const tables = await query("SELECT tablename FROM pg_tables WHERE schemaname = 'petstore' ORDER BY tablename");
    expect(tables.map(({ tablename }) => tablename)).toEqual(["migrations", "pets"]);
  });
});
