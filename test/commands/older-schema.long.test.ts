import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { migrations as ofPostgres } from "../../src/adapters/postgres/migrations.ts";
import { currentVersion } from "../../src/adapters/sql/sql.ts";
import { identityOf } from "../../src/adapters/sqlite/migrate.ts";
import { migrations as ofSqlite } from "../../src/adapters/sqlite/migrations.ts";
import { createUnreleased, openThisSchema } from "../adapters/sqlite/older-schema.ts";
import { read as readDocument, states } from "../support/markdown.ts";
import { queryAt } from "../support/postgres.ts";
import { commandFor } from "../support/runtime.ts";
import { createDatabase } from "../support/shared-postgres.ts";
import { databasePathOf } from "../support/store.ts";
import { shownCommand, Workplace } from "./petstore.ts";

/** How a copy of the sources without a launcher prints what starts it. */
const COPY = "npx --no petstore";

/** The `petstore` command of the next version, to which a database of this one is older. */
const version = commandFor(fileURLToPath(new URL("../support/next-version.ts", import.meta.url)));
const [ON_SQLITE, ON_POSTGRES] = [currentVersion(ofSqlite), currentVersion(ofPostgres)];

const commands = [
  "keys list",
  "keys create --name App --plan free",
  "keys create --name App --plan free --create",
  "operators list",
  "usage",
  "audit",
  "pets export",
  "pets import - --format ndjson --create",
].map((command) => command.split(" "));

let petstore: Workplace;
beforeEach(() => {
  petstore = new Workplace();
});
afterEach(() => petstore.remove());

const path = () => databasePathOf(petstore.directory);

/** What the commands print about a database of an older schema. */
const refusal = (database: string, current: number, url = petstore.store.url) =>
  `petstore: ${database} has schema ${current} of an older petstore, and this one needs schema ${current + 1}. If the older service is running, stop it. Then run ${shownCommand("database migrate", url, COPY)}, or start the service of this version.\n`;

/** What they print about one from before the first release. */
const unreleased = (database: string, version: number, url = petstore.store.url) =>
  `petstore: ${database} has schema ${version} of a checkout from before the first release, and cannot be brought up to date. With that checkout, export its categories and pets (${shownCommand("categories export", url)}, ${shownCommand("pets export", url)}). With this version, import both into a new database (${shownCommand("categories import", url)}, ${shownCommand("pets import", url)}): pets get new ids. Orders, keys and operators cannot be carried over: create them again.\n`;

describe("a SQLite database of an older version", () => {
  let older: DatabaseSync;
  beforeEach(() => {
    older = openThisSchema(path());
  });
  afterEach(() => older.close());

  const schema = () => [
    older.prepare("PRAGMA user_version").get(),
    older.prepare("SELECT sql FROM sqlite_schema ORDER BY name").all(),
  ];

  test("is refused by commands, and not changed: the older service may be using it", async () => {
    states(
      "docs/upgrading.md",
      "`… has schema … of an older petstore`",
      "`… has schema … of an older petstore` | The command is newer than the database. | Stop the service, then run `petstore database migrate` or start the new version.",
      "The other commands refuse a database with an older schema, which a service of that version may be using.",
    );
    const before = schema();
    for (const command of commands) {
      const { code, stdout, stderr } = await petstore.run(command, { version });
      expect({ command, code, stdout, stderr }).toEqual({
        ...{ command, code: 1, stdout: "" },
        stderr: refusal(`sqlite:${path()}`, ON_SQLITE),
      });
    }
    expect(schema()).toEqual(before);
  });

  test("is brought up to date by `database migrate`", async () => {
    states(
      "docs/upgrading.md",
      "Stop the service, replace the executable, or run `npm install --omit=dev` in the new checkout, and start it. At startup the service upgrades the schema.",
    );
    states("docs/upgrading.md", "`petstore database migrate` does the same without starting");
    const { json } = await petstore.run(["database", "migrate", "--json"], { version });
    expect(json).toMatchObject({ from: ON_SQLITE, to: ON_SQLITE + 1 });
    expect((await petstore.run(["keys", "list", "--json"], { version })).json).toEqual([]);
  });

  test("can be checked and backed up first", async () => {
    states("docs/upgrading.md", "Only `database backup` and `database check` read it.");
    expect((await petstore.run(["database", "check", "--json"], { version })).json).toMatchObject({ intact: true });
    const [, ...readers] =
      /Only `database (\w+)` and `database (\w+)` read it\./.exec(readDocument("docs/upgrading.md")) ?? [];
    expect(readers).toHaveLength(2);
    for (const reader of readers) {
      const args = reader === "check" ? [] : ["copy.db"];
      const { code } = await petstore.run(["database", reader, ...args], { version });
      expect([reader, code]).toEqual([reader, 0]);
    }
    expect(identityOf(older).version).toBe(ON_SQLITE);
  });
});

test("a command leaves an empty file empty without --create", async () => {
  await Bun.write(path(), "");
  const { code, stderr } = await petstore.run(["keys", "list"]);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`There is no database ${path()}. Create it with`)]);
  expect(Bun.file(path()).size).toBe(0);
  expect(existsSync(`${path()}-wal`)).toBe(false);
});

test("every command refuses a SQLite database from before the first release, and does not change it", async () => {
  states(
    "docs/upgrading.md",
    "Categories keep their ids, pets get new ones. Orders, keys, operators, usage and the audit log cannot be carried over.",
  );
  states(
    "docs/upgrading.md",
    "`… has schema … of a checkout from before the first release`",
    "`… has schema … of a checkout from before the first release` | No migration leads from such a database to this version. | Carry its catalogue over to a new database.",
    "A database of a checkout from before the first release cannot be upgraded: every command refuses it and does not change it.",
  );
  createUnreleased(path(), 25);
  const before = readFileSync(path());
  const maintenance = ["migrate", "check", "backup copy.db", "restore old.db"].map((name) => `database ${name}`);
  createUnreleased(petstore.path("old.db"), 24);
  for (const command of ["serve", ...maintenance].map((command) => command.split(" ")).concat(commands)) {
    const isRestore = command.includes("restore");
    const { code, stdout, stderr } = await petstore.run(command, { env: { PORT: "0", PETSTORE_ADMIN_PORT: "0" } });
    expect({ command, code, stdout, stderr }).toEqual({
      ...{ command, code: 1, stdout: "" },
      stderr: isRestore ? unreleased("old.db", 24) : unreleased(path(), 25),
    });
  }
  expect(readFileSync(path()).equals(before)).toBe(true);
  expect(readdirSync(petstore.directory).filter((name) => /copy|before-restore/.test(name))).toEqual([]);
});

test("a backup does not replace a SQLite database from before the first release", async () => {
  openThisSchema(petstore.path("backup.db")).close();
  createUnreleased(path(), 5);
  const { code, stderr } = await petstore.run(["database", "restore", "backup.db"]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: unreleased(path(), 5) });
  using database = new DatabaseSync(path());
  expect(database.prepare("SELECT name FROM pets").get()).toEqual({ name: "Rex" });
});

describe("on PostgreSQL", () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(() => database.drop());

  const versions = async () =>
    (await queryAt(database.url, "SELECT version::int FROM petstore.migrations ORDER BY 1")).map((row) => row.version);

  test("commands refuse a database without a schema and one of an older version, and do not change it", async () => {
    const env = { DATABASE_URL: database.url };
    const name = database.url.replace(/\/\/[^/]*@/, "//");
    const missing = await petstore.run(["keys", "list"], { env });
    expect([missing.code, missing.stderr]).toEqual([
      1,
      `petstore: There is no database ${name}. Create it with ${shownCommand("database migrate", database.url)}, or set DATABASE_URL.\n`,
    ]);
    expect(await queryAt(database.url, "SELECT to_regnamespace('petstore') AS name")).toEqual([{ name: null }]);

    expect((await petstore.run(["database", "migrate"], { env })).code).toBe(0);
    const migrated = await versions();
    expect(migrated.at(-1)).toBe(ON_POSTGRES);
    for (const command of commands) {
      const { code, stderr } = await petstore.run(command, { env, version });
      expect({ command, code, stderr }).toEqual({
        ...{ command, code: 1 },
        stderr: refusal(name, ON_POSTGRES, database.url),
      });
    }
    expect(await versions()).toEqual(migrated);
    const { json } = await petstore.run(["database", "migrate", "--json"], { env, version });
    expect(json).toMatchObject({ from: ON_POSTGRES, to: ON_POSTGRES + 1 });
  });

  test("every command refuses a database from before the first release, and does not change it", async () => {
    await queryAt(database.url, "CREATE SCHEMA petstore");
    await queryAt(database.url, "CREATE TABLE petstore.migrations (version BIGINT PRIMARY KEY)");
    await queryAt(database.url, "INSERT INTO petstore.migrations SELECT generate_series(1, 23)");
    const env = { DATABASE_URL: database.url, PORT: "0", PETSTORE_ADMIN_PORT: "0" };
    for (const command of [["serve"], ["database", "migrate"], ...commands]) {
      const { code, stdout, stderr } = await petstore.run(command, { env });
      expect({ command, code, stdout, stderr }).toEqual({
        ...{ command, code: 1, stdout: "" },
        stderr: unreleased("This database", 23, database.url),
      });
    }
    expect(await versions()).toEqual(Array.from({ length: 23 }, (_, i) => i + 1));
    const tables = await queryAt(database.url, "SELECT tablename FROM pg_tables WHERE schemaname = 'petstore'");
    expect(tables).toEqual([{ tablename: "migrations" }]);
  });
});
