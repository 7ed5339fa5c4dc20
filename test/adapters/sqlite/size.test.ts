import { expect, test } from "bun:test";
import { rmSync, statSync, symlinkSync } from "node:fs";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { IN_MEMORY } from "../../../src/adapters/sqlite/errors.ts";
import { sizeOf } from "../../../src/adapters/sqlite/size.ts";
import { temporaryFile } from "./temporary.ts";

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
    expect(sizeOf(database)).toBe((bytes ?? 0) + (log ?? 0));
    database.close();
  }
  const database = new Database(file);
  for (const ending of ["", "-wal", "-shm"]) rmSync(`${file.path}${ending}`);
  expect(sizeOf(database)).toBe(0);
  file.remove();
});

test("the size of a database in memory is that of its pages", () => {
  const database = new Database({ path: IN_MEMORY, deployment: "production" });
  expect(sizeOf(database)).toBeGreaterThan(100_000);
  database.close();
});
