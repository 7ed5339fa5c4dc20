import { afterEach, beforeEach, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Database } from "../../src/adapters/sqlite/database.ts";
import { SCHEMA_VERSION } from "../../src/adapters/sqlite/migrate.ts";
import { SqlitePets } from "../../src/adapters/sqlite/pets.ts";
import { damage } from "../adapters/sqlite/crashed.ts";
import { startService } from "../support/service.ts";
import { databasePathOf } from "../support/store.ts";
import { Workplace } from "./petstore.ts";

let petstore: Workplace;
beforeEach(() => {
  petstore = new Workplace();
});
afterEach(() => petstore.remove());

const path = () => databasePathOf(petstore.directory);

/** Adds pets to the database of the workplace, and leaves it closed. */
async function add(...names: string[]): Promise<void> {
  const database = new Database({ path: path(), deployment: "production" });
  for (const name of names) await new SqlitePets(database).create({ name, categoryId: 1n });
  database.close();
}

/** The names of the pets in a database file. */
function namesIn(file: string): unknown[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const names = database.prepare("SELECT name FROM pets ORDER BY id").all();
  database.close();
  return names.map(({ name }) => name);
}

test("migrate creates a database, and then finds it up to date", async () => {
  expect(await petstore.json("database", "migrate")).toEqual({
    database: `sqlite:${path()}`,
    from: 0,
    to: SCHEMA_VERSION,
  });
  expect(await petstore.json("database", "migrate")).toEqual({
    database: `sqlite:${path()}`,
    from: SCHEMA_VERSION,
    to: SCHEMA_VERSION,
  });
});

test("migrate refuses a database of a newer version", async () => {
  await add("Rex");
  const database = new DatabaseSync(path());
  database.exec("PRAGMA user_version = 99");
  database.close();
  const { code, stderr } = await petstore.run(["database", "migrate"]);
  expect(code).toBe(1);
  expect(stderr).toContain(`was written by a newer petstore (schema 99, this one supports ${SCHEMA_VERSION})`);
});

test("a check finds rows that cannot be decoded, and nothing wrong with an older schema", async () => {
  await add("Rex");
  const database = new DatabaseSync(path());
  database.exec("INSERT INTO counters VALUES ('key_1', '{cut')");
  const damaged = await petstore.run(["database", "check", "--json"]);
  expect(damaged.code).toBe(1);
  expect(damaged.json.problems).toEqual(["1 rows of counters cannot be decoded: usage"]);
  database.exec("DELETE FROM counters; DROP TABLE audit; PRAGMA user_version = 3");
  database.close();
  expect(await petstore.json("database", "check")).toMatchObject({ intact: true });
});

test("a backup of a running service has everything that was acknowledged before it", async () => {
  const service = await startService({ store: petstore.store });
  try {
    const client = await service.withKey();
    let isOver = false;
    const creating = (async () => {
      while (!isOver) expect((await client.post("/v1/pets", { name: "Meanwhile", categoryId: 1 })).status).toBe(201);
    })();
    const { body } = await client.post("/v1/pets", { name: "Before", categoryId: 1 });
    const backup = await petstore.json("database", "backup", "copy.db");
    isOver = true;
    await creating;
    expect(backup).toMatchObject({ path: path(), file: "copy.db" });
    expect(namesIn(petstore.path("copy.db"))[body.id - 1]).toBe("Before");
    expect(readFileSync(petstore.path("copy.db")).length).toBe(backup.bytes);
    expect(readdirSync(petstore.directory).filter((name) => name.includes("unfinished"))).toEqual([]);
  } finally {
    await service.kill();
  }
});

test("a backup replaces a file only with --force", async () => {
  await add("Rex");
  writeFileSync(petstore.path("taken"), "mine");
  const { code, stderr } = await petstore.run(["database", "backup", "taken"]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: "petstore: taken exists already. Choose another file, or replace it with --force.\n",
  });
  expect(readFileSync(petstore.path("taken"), "utf8")).toBe("mine");
  await petstore.json("database", "backup", "taken", "--force");
  expect(namesIn(petstore.path("taken"))).toEqual(["Rex"]);
});

test("a backup never replaces the database itself", async () => {
  await add("Rex");
  const { code, stderr } = await petstore.run(["database", "backup", "petstore.db", "--force"]);
  expect(code).toBe(1);
  expect(stderr).toContain("is the database itself");
  expect(namesIn(path())).toEqual(["Rex"]);
});

test("a backup does not create a missing database", async () => {
  const { code, stderr } = await petstore.run(["database", "backup", "copy.db"]);
  expect(code).toBe(1);
  expect(stderr).toContain("There is no database");
  expect(readdirSync(petstore.directory)).toEqual([]);
});

test("restore replaces the database, and keeps the previous one", async () => {
  await add("Rex");
  await petstore.json("database", "backup", "copy.db");
  await add("Bo");
  const restored = await petstore.json("database", "restore", "copy.db");
  expect(restored).toMatchObject({ path: path(), file: "copy.db", schema: SCHEMA_VERSION, pets: 1, keys: 0 });
  expect(namesIn(path())).toEqual(["Rex"]);
  expect(restored.kept).toStartWith(`${path()}.before-restore-`);
  expect(namesIn(restored.kept)).toEqual(["Rex", "Bo"]);
});

test("restore refuses while a service runs, however idle, and works once it has stopped or crashed", async () => {
  await add("Rex");
  await petstore.json("database", "backup", "copy.db");
  const service = await startService({ store: petstore.store });
  const client = await service.withKey();
  await client.post("/v1/pets", { name: "Bo", categoryId: 1 });
  const { code, stderr } = await petstore.run(["database", "restore", "copy.db"]);
  expect(code).toBe(1);
  expect(stderr).toContain("is in use. Stop the service");
  expect((await client.get("/v1/pets")).body).toHaveLength(2);

  await service.kill();
  const { kept } = await petstore.json("database", "restore", "copy.db");
  expect(namesIn(kept)).toEqual(["Rex", "Bo"]);
  const again = await startService({ store: petstore.store });
  expect((await (await again.withKey()).get("/v1/pets")).body).toMatchObject([{ name: "Rex" }]);
  await again.kill();
});

test("restore refuses anything but an intact Petstore database of a known version, and changes nothing", async () => {
  await add("Rex");
  await petstore.json("database", "backup", "copy.db");
  const copy = readFileSync(petstore.path("copy.db"));
  const variant = (name: string, sql: string, bytes = copy) => {
    writeFileSync(petstore.path(name), bytes);
    if (sql === "") return;
    const database = new DatabaseSync(petstore.path(name));
    database.exec(sql);
    database.close();
  };
  variant("text.db", "", Buffer.from("This is no database at all. ".repeat(200)));
  variant("empty.db", "", Buffer.alloc(0));
  variant("cut.db", "", copy.subarray(0, copy.length - 4096));
  variant("page.db", "");
  damage(petstore.path("page.db"), 0.5, 4096);
  variant("foreign.db", "PRAGMA application_id = 7");
  variant("newer.db", "PRAGMA user_version = 99");
  const reasons = {
    "text.db": "file is not a database",
    "empty.db": "not a petstore's",
    "cut.db": `cut.db cannot be used: database disk image is malformed. It is cut off: ${(copy.length - 4096).toLocaleString("en")} of ${copy.length.toLocaleString("en")} bytes are left.`,
    "page.db": "is damaged: ",
    "foreign.db": "not a petstore's",
    "newer.db": "newer petstore",
    "missing.db": "There is no file missing.db",
    ".": "is not a file",
    "petstore.db": "is the database itself",
  };
  for (const [file, reason] of Object.entries(reasons)) {
    const { code, stderr } = await petstore.run(["database", "restore", file]);
    expect({ file, code }).toEqual({ file, code: 1 });
    expect(stderr).toContain(reason);
  }
  expect(readdirSync(petstore.directory).filter((name) => name.includes("before-restore"))).toEqual([]);
  expect(namesIn(path())).toEqual(["Rex"]);
});

test("backup and restore refuse a database of the other deployment, and a backup of one", async () => {
  await add("Rex");
  await petstore.json("database", "backup", "copy.db");
  const refused = async (args: string[], env: Record<string, string>) => {
    const { code, stderr } = await petstore.run(args, { env });
    expect(code).toBe(1);
    expect(stderr).toContain("belongs to production, and this is staging");
  };
  const staging = { PETSTORE_DEPLOYMENT: "staging" };
  await refused(["database", "backup", "other.db"], staging);
  await refused(["database", "restore", "copy.db"], staging);
  await refused(["database", "restore", "copy.db"], { ...staging, DATABASE_URL: `sqlite:${petstore.path("new.db")}` });
  await petstore.run(["database", "migrate"], { env: { ...staging, DATABASE_URL: `sqlite:${petstore.path("s.db")}` } });
  const backup = ["database", "backup", "s-copy.db"];
  await petstore.run(backup, { env: { ...staging, DATABASE_URL: `sqlite:${petstore.path("s.db")}` } });
  const own = { ...staging, DATABASE_URL: `sqlite:${path()}` };
  await refused(["database", "restore", "s-copy.db"], own);
  expect(namesIn(path())).toEqual(["Rex"]);
});
