import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { sqlOperators } from "../../../src/adapters/sql/operators.ts";
import { currentVersion, OLDEST_VERSION } from "../../../src/adapters/sql/sql.ts";
import { checkDatabase } from "../../../src/adapters/sqlite/check.ts";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { APPLICATION_ID, identityOf } from "../../../src/adapters/sqlite/migrate.ts";
import { migrateDatabase, schemaOf } from "../../../src/adapters/sqlite/migrate-file.ts";
import { migrations } from "../../../src/adapters/sqlite/migrations.ts";
import { states } from "../../support/markdown.ts";
import { NEXT_ON_SQLITE, nextOnSqlite } from "../../support/next-schema.ts";
import { createUnreleased, openThisSchema } from "./older-schema.ts";
import { type TemporaryFile, temporaryFile } from "./temporary.ts";

const PROGRAM = fileURLToPath(new URL("migrate-program.ts", import.meta.url));
const CURRENT = currentVersion(migrations);
const NEXT = CURRENT + 1;

let file: TemporaryFile;
beforeEach(() => {
  file = temporaryFile();
});
afterEach(() => file.remove());

/** Opens the file by itself for a moment. */
function read<T>(work: (database: DatabaseSync) => T): T {
  using database = new DatabaseSync(file.path);
  return work(database);
}

const OPERATORS = [
  {
    id: "op_1",
    name: "Ada",
    role: "admin",
    token_hash: "t1",
    created_at: 1,
    revoked_at: null,
    provider: null,
    subject: null,
  },
  {
    id: "op_2",
    name: "Bob",
    role: "viewer",
    token_hash: "t2",
    created_at: 2,
    revoked_at: 3,
    provider: "p",
    subject: "s",
  },
];

/** Creates the file with operators, the first of whom has a session. */
function createWithOperators(): void {
  using database = openThisSchema(file.path);
  const insert = database.prepare("INSERT INTO operators VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  for (const operator of OPERATORS) insert.run(...Object.values(operator));
  database.exec("INSERT INTO sessions VALUES ('s', 'op_1', 1, 2)");
}

const operators = () =>
  read((database) =>
    database
      .prepare("SELECT * FROM operators")
      .all()
      .map((row) => ({ ...row })),
  );
const objects = () => read((database) => database.prepare("SELECT type, name, sql FROM sqlite_schema").all());
const start = (...more: string[]) => Bun.spawn([process.execPath, PROGRAM, file.path, ...more], { stdout: "pipe" });

test("orders keep what was sold, as far as their pets exist, and also those that an earlier version places", () => {
  const place = (petId: number) =>
    `INSERT INTO orders (pet_id, status, created_at, updated_at) VALUES (${petId}, 'delivered', 1, 1);`;
  new Database({ ...file, migrations: migrations.slice(0, 2) }).close();
  read((database) =>
    database.exec(`INSERT INTO pets (name, category_id, status) VALUES ('Rex', 1, 'sold'), ('Mia', 9223372036854775807, 'sold');
      ${place(1)} ${place(9)} ${place(2)}`),
  );
  new Database(file).close();
  const database = new Database(file);
  database.prepare("UPDATE pets SET name = 'Max'").run();
  database.prepare(place(2)).run();
  database.prepare(place(8)).run();
  const kept = database.prepare("SELECT pet_name, CAST(pet_category_id AS TEXT) AS category FROM orders ORDER BY id");
  expect(kept.all().map((row) => [row.pet_name, row.category])).toEqual([
    ["Rex", "1"],
    [null, null],
    ["Mia", "9223372036854775807"],
    ["Max", "9223372036854775807"],
    [null, null],
  ]);
  database.close();
});

describe("the next migration", () => {
  beforeEach(createWithOperators);

  test("runs alone, and keeps every row", async () => {
    const next = { ...file, migrations: nextOnSqlite };
    expect(migrateDatabase(next)).toEqual({ from: CURRENT, to: NEXT });
    expect(read(identityOf)).toEqual({ applicationId: APPLICATION_ID, version: NEXT });
    expect(operators()).toEqual(OPERATORS.map((operator) => ({ ...operator, language: null })));
    expect(migrateDatabase(next)).toEqual({ from: NEXT, to: NEXT });
    const database = new Database(next);
    expect((await sqlOperators(database).findBySession("s"))?.operator.name).toBe("Ada");
    database.close();
  });

  test("also runs when the database is opened", () => {
    states("docs/upgrading.md", "At startup the service upgrades the schema.");
    new Database({ ...file, migrations: nextOnSqlite }).close();
    expect(read(identityOf).version).toBe(NEXT);
  });

  test("changes no index and no trigger of other tables", () => {
    const others = () => objects().filter(({ name }) => !/operators/.test(String(name)));
    const before = others();
    migrateDatabase({ ...file, migrations: nextOnSqlite });
    expect(others()).toEqual(before);
  });

  test("may copy a table to which foreign keys refer: they refer to the copy, and hold", () => {
    const database = new Database({ ...file, migrations: nextOnSqlite });
    expect(database.prepare("PRAGMA foreign_key_list(sessions)").all()).toMatchObject([{ table: "operators" }]);
    expect(database.prepare("PRAGMA foreign_key_check").all()).toEqual([]);
    expect(() => database.prepare("DELETE FROM operators WHERE id = 'op_1'").run()).toThrow("FOREIGN KEY");
    database.close();
  });

  test("changes nothing when it fails halfway", () => {
    const before = objects();
    const failing = { ...file, migrations: [...migrations, `${NEXT_ON_SQLITE} SELECT missing FROM operators;`] };
    expect(() => new Database(failing)).toThrow(`${file.path} cannot be brought up to date: no such column: missing.`);
    expect(objects()).toEqual(before);
    expect(read(identityOf).version).toBe(CURRENT);
    expect(operators()).toEqual(OPERATORS);
    new Database(file).close();
  });

  test("changes nothing when its process is killed halfway, and runs at the next start", async () => {
    states("docs/upgrading.md", "An upgrade that is interrupted changes nothing on SQLite");
    const before = objects();
    const killed = start("killed");
    await killed.exited;
    expect(killed.signalCode).toBe("SIGKILL");
    expect(objects()).toEqual(before);
    expect(read(identityOf).version).toBe(CURRENT);
    expect(migrateDatabase({ ...file, migrations: nextOnSqlite })).toEqual({ from: CURRENT, to: NEXT });
    expect(operators()).toHaveLength(OPERATORS.length);
  });

  test("runs once when several processes start together", async () => {
    const printed = await Promise.all(Array.from({ length: 3 }, () => new Response(start().stdout).json()));
    expect(printed.map(({ from }) => from).sort()).toEqual([CURRENT, NEXT, NEXT]);
    expect(operators()).toHaveLength(OPERATORS.length);
  });

  test("leaves the file one that this version may use, and does not change", async () => {
    migrateDatabase({ ...file, migrations: nextOnSqlite });
    const before = readFileSync(file.path);
    expect(migrateDatabase(file)).toEqual({ from: NEXT, to: NEXT });
    expect(schemaOf(file)).toEqual({ version: NEXT, current: CURRENT });
    expect(checkDatabase(file).problems).toEqual([]);
    expect(readFileSync(file.path).equals(before)).toBe(true);
    const database = new Database(file);
    expect(database.schema).toEqual({ version: NEXT, current: CURRENT });
    expect((await sqlOperators(database).findBySession("s"))?.operator.name).toBe("Ada");
    database.close();
    expect(migrateDatabase({ ...file, migrations: nextOnSqlite })).toEqual({ from: NEXT, to: NEXT });
  });

  test("makes the file one that this version refuses, and does not change, if it is not additive", () => {
    states("docs/upgrading.md", "An older version refuses such a database and does not change it");
    migrateDatabase({ ...file, migrations: nextOnSqlite, oldest: NEXT });
    const before = readFileSync(file.path);
    const refusal = `${file.path} was written by a newer petstore (schema ${NEXT}, this one supports ${CURRENT})`;
    expect(() => new Database(file)).toThrow(refusal);
    expect(() => migrateDatabase(file)).toThrow(refusal);
    expect(() => schemaOf(file)).toThrow(refusal);
    expect(readFileSync(file.path).equals(before)).toBe(true);
  });
});

test("the header of a file has its schema, and above 16 bits the oldest one that may use it, as every version reads it", () => {
  const header = () => Number(read((database) => database.prepare("PRAGMA user_version").get())?.user_version);
  migrateDatabase(file);
  const isAdditive = OLDEST_VERSION < CURRENT;
  expect(header()).toBe(CURRENT + (isAdditive ? OLDEST_VERSION * 65_536 : 0));
  migrateDatabase({ ...file, migrations: nextOnSqlite, oldest: CURRENT });
  expect(header()).toBe(NEXT + CURRENT * 65_536);
});

test("a new file gets all migrations at once", () => {
  expect(migrateDatabase({ ...file, migrations: nextOnSqlite })).toEqual({ from: 0, to: NEXT });
  expect(operators()).toEqual([]);
  expect(objects().filter(({ name }) => name === "pets")).toHaveLength(1);
});

test.each([1, 5, 6, 24, 25])(
  "a file of schema %i, from before the first release, is refused with how to carry its data over, and not changed",
  (version) => {
    createUnreleased(file.path, version);
    const before = readFileSync(file.path);
    const refusal = `${file.path} has schema ${version} of a checkout from before the first release, and cannot be brought up to date. With that checkout, export its categories and pets (\`petstore categories export\`, \`petstore pets export\`). With this version, import both into a new database (\`petstore categories import\`, \`petstore pets import\`): pets get new ids. Orders, keys and operators cannot be carried over: create them again.`;
    for (const open of [() => new Database(file), () => migrateDatabase(file), () => schemaOf(file)]) {
      expect(open).toThrow(new Error(refusal));
    }
    expect(() => new Database({ ...file, migrations: nextOnSqlite })).toThrow(new Error(refusal));
    expect(readFileSync(file.path).equals(before)).toBe(true);
  },
);

test("another program's file with such a version is not taken for one", () => {
  read((database) =>
    database.exec("PRAGMA application_id = 1; PRAGMA user_version = 25; CREATE TABLE songs (title TEXT)"),
  );
  expect(() => new Database(file)).toThrow(`${file.path} is a database, but not a petstore's.`);
});

test("a file belongs to the deployment that created it", () => {
  new Database(file).close();
  const staging = { ...file, deployment: "staging" as const };
  const refusal = `${file.path} belongs to production, and this is staging. Set DATABASE_URL to a database of staging, or PETSTORE_DEPLOYMENT to production.`;
  expect(() => new Database(staging)).toThrow(refusal);
  expect(() => new Database({ ...staging, migrations: nextOnSqlite })).toThrow(refusal);
  expect(read(identityOf).version).toBe(CURRENT);
});
