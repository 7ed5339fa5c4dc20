import { afterEach, beforeEach, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { currentVersion } from "../../src/adapters/sql/sql.ts";
import { Database } from "../../src/adapters/sqlite/database.ts";
import { migrations } from "../../src/adapters/sqlite/migrations.ts";
import { SqlitePets } from "../../src/adapters/sqlite/pets.ts";
import { startService } from "../support/service.ts";
import { databasePathOf } from "../support/store.ts";
import { Workplace } from "./petstore.ts";

const CURRENT = currentVersion(migrations);

let petstore: Workplace;
beforeEach(() => {
  petstore = new Workplace();
});
afterEach(() => petstore.remove());

const path = () => databasePathOf(petstore.directory);

/** Adds pets to the database of the workplace, and leaves it closed. */
async function add(...names: string[]): Promise<void> {
  const database = new Database({ path: path(), deployment: "production" });
  for (const name of names) await new SqlitePets(database).create({ name, categoryId: 1n }, { now: Date.now() });
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
    to: CURRENT,
  });
  expect(await petstore.json("database", "migrate")).toEqual({
    database: `sqlite:${path()}`,
    from: CURRENT,
    to: CURRENT,
  });
});

test("migrate refuses a database of a newer version", async () => {
  await add("Rex");
  const database = new DatabaseSync(path());
  database.exec("PRAGMA user_version = 99");
  database.close();
  const { code, stderr } = await petstore.run(["database", "migrate"]);
  expect(code).toBe(1);
  expect(stderr).toContain(`was written by a newer petstore (schema 99, this one supports ${CURRENT})`);
});

test("a check finds rows that cannot be decoded or found", async () => {
  await add("Rex");
  const database = new DatabaseSync(path());
  database.exec("INSERT INTO limit_windows VALUES (0, x'00', '{cut')");
  const damaged = await petstore.run(["database", "check", "--json"]);
  expect(damaged.code).toBe(1);
  expect(damaged.json.problems).toEqual([
    "1 rows of limit_windows cannot be decoded: numbers",
    "1 rows of limit_windows cannot be decoded: others",
  ]);
  // To accept what else may be lost would not repair it.
  const mark = readFileSync(`${path()}.ids`);
  writeFileSync(`${path()}.ids`, "x".repeat(mark.length));
  const { stdout } = await petstore.run(["database", "check"]);
  writeFileSync(`${path()}.ids`, mark);
  expect(stdout).toContain(".ids is damaged");
  expect(stdout).not.toContain("--accept-loss");
  expect(stdout).toStartWith(`${path()} is damaged:\n`);
  expect(stdout).toEndWith(`\nStop the service and restore a backup with ${petstore.shown("database restore")}.\n`);
  database.exec("DELETE FROM limit_windows; UPDATE pet_blocks SET block = block + 1");
  const { problems } = (await petstore.run(["database", "check", "--json"])).json;
  expect(problems).toEqual(["pet_blocks does not agree with pets"]);
  database.exec("UPDATE pet_blocks SET block = block - 1");
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
  expect(restored).toMatchObject({ path: path(), file: "copy.db", schema: CURRENT, pets: 1, keys: 0 });
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
