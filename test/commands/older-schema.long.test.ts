import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { SCHEMA_VERSION as POSTGRES_VERSION } from "../../src/adapters/postgres/migrate.ts";
import { SCHEMA_VERSION } from "../../src/adapters/sqlite/migrate.ts";
import { openSchema5 } from "../adapters/sqlite/older-schema.ts";
import { queryAt } from "../support/postgres.ts";
import { createDatabase } from "../support/shared-postgres.ts";
import { databasePathOf } from "../support/store.ts";
import { Workplace } from "./petstore.ts";

/** Time for the commands that a test starts, on a busy machine, in ms. */
const TIMEOUT = 60_000;

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

/** What the commands print about a database of an older schema. */
const refusal = (database: string, version: number, current: number) =>
  `petstore: ${database} has schema ${version} of an older petstore, and this one needs schema ${current}. If the older service is running, stop it. Then run \`npx petstore database migrate\`, or start the service of this version.\n`;

describe("a SQLite database of an older version", () => {
  let older: DatabaseSync;
  beforeEach(() => {
    older = openSchema5(databasePathOf(petstore.directory));
  });
  afterEach(() => older.close());

  const schema = () => [
    older.prepare("PRAGMA user_version").get(),
    older.prepare("SELECT sql FROM sqlite_schema ORDER BY name").all(),
  ];

  test(
    "is refused by commands, and not changed: the older service may be using it",
    async () => {
      const before = schema();
      for (const command of commands) {
        const { code, stdout, stderr } = await petstore.run(command);
        expect({ command, code, stdout, stderr }).toEqual({
          ...{ command, code: 1, stdout: "" },
          stderr: refusal(`sqlite:${databasePathOf(petstore.directory)}`, 5, SCHEMA_VERSION),
        });
      }
      expect(schema()).toEqual(before);
    },
    TIMEOUT,
  );

  test(
    "is brought up to date by `database migrate`",
    async () => {
      expect(await petstore.json("database", "migrate")).toMatchObject({ from: 5, to: SCHEMA_VERSION });
      expect(await petstore.json("keys", "list")).toEqual([]);
    },
    TIMEOUT,
  );

  test(
    "can be backed up first",
    async () => {
      await petstore.json("database", "backup", "copy.db");
      expect(schema()[0]).toEqual({ user_version: 5 });
    },
    TIMEOUT,
  );
});

test(
  "a command leaves an empty file empty without --create",
  async () => {
    const path = databasePathOf(petstore.directory);
    await Bun.write(path, "");
    const { code, stderr } = await petstore.run(["keys", "list"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`There is no database ${path}. Create it with`)]);
    expect(Bun.file(path).size).toBe(0);
    expect(existsSync(`${path}-wal`)).toBe(false);
  },
  TIMEOUT,
);

describe("on PostgreSQL", () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  beforeEach(async () => {
    database = await createDatabase();
  }, TIMEOUT);
  afterEach(() => database.drop());

  test(
    "commands refuse a database without a schema and one of an older version, and do not change it",
    async () => {
      const env = { DATABASE_URL: database.url };
      const name = database.url.replace(/\/\/[^/]*@/, "//");
      const missing = await petstore.run(["keys", "list"], { env });
      expect([missing.code, missing.stderr]).toEqual([
        1,
        `petstore: There is no database ${name}. Create it with \`npx petstore database migrate\`, or set DATABASE_URL.\n`,
      ]);
      expect(await queryAt(database.url, "SELECT to_regnamespace('petstore') AS name")).toEqual([{ name: null }]);

      expect((await petstore.run(["database", "migrate"], { env })).code).toBe(0);
      await queryAt(database.url, `DELETE FROM petstore.migrations WHERE version = ${POSTGRES_VERSION}`);
      for (const command of commands) {
        const { code, stderr } = await petstore.run(command, { env });
        expect({ command, code, stderr }).toEqual({
          ...{ command, code: 1 },
          stderr: refusal(name, POSTGRES_VERSION - 1, POSTGRES_VERSION),
        });
      }
      const [left] = await queryAt(database.url, "SELECT max(version)::int AS version FROM petstore.migrations");
      expect(left).toEqual({ version: POSTGRES_VERSION - 1 });
    },
    TIMEOUT,
  );
});
