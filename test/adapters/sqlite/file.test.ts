import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { currentVersion } from "../../../src/adapters/sql/sql.ts";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { APPLICATION_ID } from "../../../src/adapters/sqlite/migrate.ts";
import { migrations } from "../../../src/adapters/sqlite/migrations.ts";
import { SqlitePets } from "../../../src/adapters/sqlite/pets.ts";
import { lockForServing } from "../../../src/adapters/sqlite/serving-lock.ts";
import { StartupError } from "../../../src/domain/errors.ts";
import { states } from "../../support/markdown.ts";
import { crashed } from "./crashed.ts";
import { type TemporaryFile, temporaryFile } from "./temporary.ts";

const CURRENT = currentVersion(migrations);

let file: TemporaryFile;
beforeEach(() => {
  file = temporaryFile();
});
afterEach(() => file.remove());

/** Has another program write the file. */
function written(...statements: string[]): void {
  const other = new DatabaseSync(file.path);
  for (const statement of statements) other.exec(statement);
  other.close();
}

/** Why the file is refused. */
function refusal(path = file.path): string {
  try {
    new Database({ path, deployment: "production" }).close();
  } catch (error) {
    if (error instanceof StartupError) return error.message;
    throw error;
  }
  throw new Error("it was opened");
}

test("a start knows whether the last process ended without closing the database", () => {
  const isAfterUncleanStop = (started: TemporaryFile) => {
    using lock = lockForServing(started);
    return lock.isAfterUncleanStop;
  };
  expect(isAfterUncleanStop(file)).toBe(false);
  const database = new Database(file);
  const killed = crashed(file);
  database.close();
  expect([isAfterUncleanStop(file), isAfterUncleanStop(killed)]).toEqual([false, true]);
  killed.remove();
});

test("a missing directory is created", () => {
  states("docs/settings.md", "`sqlite:` and the path of the database file, which is created if it is missing");
  const path = join(dirname(file.path), "a", "b", "petstore.db");
  new Database({ path, deployment: "production" }).close();
  expect(readFileSync(path).subarray(0, 15).toString()).toBe("SQLite format 3");
});

test("an empty file becomes a Petstore database", () => {
  writeFileSync(file.path, "");
  new Database(file).close();
});

describe("a file is refused with its path and the reason, and not changed:", () => {
  test("one that a newer version wrote", () => {
    states(
      "docs/upgrading.md",
      "`… was written by a newer petstore`",
      "`… was written by a newer petstore` | The database is from a later version, which has not only added to its schema. | Run that version, or restore an earlier backup.",
    );
    states("SECURITY.md", "A file of another program or of a newer version is refused and not changed.");
    new Database(file).close();
    written(`PRAGMA user_version = ${CURRENT + 1}`);
    expect(refusal()).toBe(
      `${file.path} was written by a newer petstore (schema ${CURRENT + 1}, this one supports ${CURRENT}). Run that version, or restore a backup made with this one.`,
    );
    written(`PRAGMA user_version = ${CURRENT}`);
    new Database(file).close();
  });

  test("another program's database", () => {
    states("SECURITY.md", "A file of another program");
    written("CREATE TABLE songs (title TEXT)", "INSERT INTO songs VALUES ('La Mer')");
    const before = readFileSync(file.path);
    expect(refusal()).toBe(`${file.path} is a database, but not a petstore's.`);
    expect(readFileSync(file.path).equals(before)).toBe(true);
  });

  test("a database that another program has marked as its own, even an empty one", () => {
    written("PRAGMA application_id = 1");
    expect(refusal()).toBe(`${file.path} is a database, but not a petstore's.`);
  });

  test("a file that is not a database", () => {
    writeFileSync(file.path, "id,name\n1,Rex\n".repeat(100));
    expect(refusal()).toStartWith(`${file.path} cannot be used: file is not a database`);
    expect(readFileSync(file.path, "utf8")).toStartWith("id,name\n");
  });

  test("a database whose schema is damaged", () => {
    new Database(file).close();
    const bytes = readFileSync(file.path);
    bytes.fill(0xff, 100, 4096);
    writeFileSync(file.path, bytes);
    expect(refusal()).toStartWith(`${file.path} cannot be used: `);
  });

  test("one that is cut off", () => {
    new Database(file).close();
    const { size } = statSync(file.path);
    truncateSync(file.path, 8_192);
    expect(refusal()).toBe(
      `${file.path} cannot be used: database disk image is malformed. It is cut off: 8,192 of ${size.toLocaleString("en")} bytes are left. Restore a backup that is intact with \`petstore database restore\`.`,
    );
    truncateSync(file.path, 50);
    expect(refusal()).toContain(" cannot be used: ");
  });

  test("a directory", () => {
    mkdirSync(file.path);
    expect(refusal()).toBe(
      `${file.path} is a directory. Set DATABASE_URL to a file in it, such as sqlite:${file.path}/petstore.db.`,
    );
  });

  test("one in a place where no file can be created", () => {
    writeFileSync(file.path, "");
    const path = join(file.path, "petstore.db");
    expect(refusal(path)).toStartWith(`${path} cannot be used: `);
  });
});

test("an up-to-date file is opened without writing, even while another process writes", () => {
  new Database(file).close();
  const other = new DatabaseSync(file.path);
  other.exec("BEGIN IMMEDIATE");
  new Database(file).close();
  other.close();
});

test("a failed migration changes nothing", () => {
  // What a step is about to make is there already: it fails halfway.
  written(`PRAGMA application_id = ${APPLICATION_ID}`, "CREATE TABLE deployment (mine TEXT)");
  expect(refusal()).toBe(`${file.path} cannot be brought up to date: table deployment already exists.`);
  const left = new DatabaseSync(file.path);
  expect(left.prepare("SELECT name FROM sqlite_schema").all()).toEqual([{ name: "deployment" }]);
  expect(left.prepare("PRAGMA user_version").get()).toEqual({ user_version: 0 });
  left.exec("DROP TABLE deployment");
  left.close();
  new Database(file).close();
});

test("a read waits for a file that another process locks, then the store is unavailable", async () => {
  const database = new Database(file);
  const pets = new SqlitePets(database);
  const other = new DatabaseSync(file.path);
  other.exec("BEGIN IMMEDIATE");
  const waiting = pets.create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
  await expect(waiting).rejects.toMatchObject({ code: "service_unavailable", retryAfter: 1 });
  expect(pets.list({ limit: 10, after: 0n })).toEqual([]);

  const later = pets.create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
  other.exec("ROLLBACK");
  other.close();
  expect(pets.list({ limit: 10, after: 0n })).toEqual([]);
  expect(await later).toMatchObject({ name: "Rex" });
  database.close();
});
