import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, chownSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { IN_MEMORY } from "../../../src/adapters/sqlite/errors.ts";
import { SqlitePets } from "../../../src/adapters/sqlite/pets.ts";
import { StartupError } from "../../../src/domain/errors.ts";
import { states } from "../../support/markdown.ts";
import { type TemporaryFile, temporaryFile } from "./temporary.ts";

let file: TemporaryFile;
beforeEach(() => {
  file = temporaryFile();
});
afterEach(() => file.remove());

test.each(["", "-wal", "-shm"])("by a link, petstore.db%s is missed when it is gone", async (ending) => {
  const link = `${file.path}.link`;
  symlinkSync(file.path, link);
  const database = new Database({ ...file, path: link });
  database.check();
  renameSync(file.path + ending, `${file.path}.away`);
  expect(() => database.check()).toThrow(expect.objectContaining({ code: "service_unavailable" }));
  await expect(database.write(() => {})).rejects.toMatchObject({ code: "service_unavailable" });
  renameSync(`${file.path}.away`, file.path + ending);
  database.check();
  await database.write(() => {});
  database.close();
});

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.log("skipped: whose the files are that root makes beside a database, which needs root");

test.skipIf(!isRoot)("what root makes beside a database belongs to the owner of the database", async () => {
  new Database(file).close();
  for (const ending of [".ids", ".reserve"]) rmSync(file.path + ending, { force: true });
  const [uid, gid] = [1_234, 5_678];
  chownSync(file.path, uid, gid);
  const database = new Database(file);
  await new SqlitePets(database).create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
  const owners = ["", "-wal", "-shm", ".ids", ".reserve"].map((ending) => {
    const stats = statSync(file.path + ending);
    return [ending, stats.uid, stats.gid];
  });
  expect(owners).toEqual(["", "-wal", "-shm", ".ids", ".reserve"].map((ending) => [ending, uid, gid]));
  database.close();
});

test("nothing is written to a log whose index is gone", async () => {
  const database = new Database(file);
  renameSync(`${file.path}-shm`, `${file.path}.away`);
  const write = database.write(() => {
    throw new Error("it writes");
  });
  await expect(write).rejects.toMatchObject({ code: "service_unavailable" });
  database.close();
});

test("what is written to a file that is gone before the commit is not acknowledged", async () => {
  const database = new Database(file);
  const write = database.write(() => renameSync(file.path, `${file.path}.away`));
  await expect(write).rejects.toMatchObject({ code: "service_unavailable" });
  database.close();
});

test("checkpoints and other connections leave the files in their places", async () => {
  states("README.md", "The database is one SQLite file;");
  using database = Object.assign(new Database(file), { [Symbol.dispose]: () => database.close() });
  for (const sql of ["PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM", "PRAGMA optimize"]) {
    const other = new DatabaseSync(file.path);
    other.exec(sql);
    other.close();
    database.check();
    await database.write(() => {});
  }
});

test("a log that this user may not write is reported with what to check", () => {
  const earlier = new Database(file);
  chmodSync(`${file.path}-wal`, 0o444);
  for (const open of [file.path, `${file.path}-shm`]) chmodSync(open, 0o666);
  chmodSync(dirname(file.path), 0o777);
  const root = process.geteuid?.() === 0;
  if (root) process.seteuid?.("nobody");
  try {
    expect(() => new Database(file)).toThrow(StartupError);
    expect(() => new Database(file)).toThrow(
      /petstore\.db cannot be used: EACCES.*petstore\.db-wal.*whether this user may write the file and its directory/,
    );
  } finally {
    if (root) process.seteuid?.(0);
    earlier.close();
  }
});

test("the size of a database is that of its file and log, by a link too, and 0 when the file is gone", () => {
  const file = temporaryFile();
  new Database(file).close();
  const link = { ...file, path: `${file.path}-link` };
  symlinkSync(file.path, link.path);
  for (const { path, deployment } of [file, link]) {
    const database = new Database({ path, deployment });
    database.prepare("INSERT INTO limit_keys VALUES (random(), 'key_1')").run();
    const [bytes, log] = [file.path, `${file.path}-wal`].map((each) => statSync(each).size);
    expect(log).toBeGreaterThan(0);
    expect(database.size()).toBe((bytes ?? 0) + (log ?? 0));
    database.close();
  }
  const database = new Database(file);
  for (const ending of ["", "-wal", "-shm"]) rmSync(`${file.path}${ending}`);
  expect(database.size()).toBe(0);
  file.remove();
});

test("the size of a database in memory is that of its pages", () => {
  const database = new Database({ path: IN_MEMORY, deployment: "production" });
  expect(database.size()).toBeGreaterThan(100_000);
  database.close();
});
