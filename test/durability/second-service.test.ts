import { afterAll, beforeAll, expect, test } from "bun:test";
import { linkSync, symlinkSync } from "node:fs";
import { Workplace } from "../commands/petstore.ts";
import { sqliteIn } from "../support/store.ts";
import { Program } from "./program.ts";
import { StoreDirectory } from "./store-directory.ts";

const directory = new StoreDirectory();
const workplace = new Workplace({ store: sqliteIn(directory.path) });
let program: Program;
beforeAll(async () => {
  program = await Program.start({ directory: directory.path });
});
afterAll(async () => {
  await program?.kill();
  directory[Symbol.dispose]();
});

test("a second service on the same file is refused, also by another name of the file", async () => {
  symlinkSync(workplace.path("petstore.db"), workplace.path("link.db"));
  for (const name of ["petstore.db", "link.db"]) {
    const env = { DATABASE_URL: `sqlite:${workplace.path(name)}` };
    const { code, stderr } = await Program.run({ directory: directory.path, env });
    expect(code).toBe(1);
    expect(stderr).toBe(
      `petstore: Another process serves ${workplace.path(name)}: limits would be counted twice. Stop that one, or set DATABASE_URL to another file. Several processes need PostgreSQL and Redis.\n`,
    );
  }
  expect((await fetch(`${program.url}/readyz`)).status).toBe(200);
}, 30_000);

test("a database that has a second name by a hard link is refused", async () => {
  const other = new StoreDirectory();
  const its = new Workplace({ store: sqliteIn(other.path) });
  await its.json("database", "migrate");
  linkSync(its.path("petstore.db"), its.path("twin.db"));
  const { code, stderr } = await Program.run({ directory: other.path });
  expect([code, stderr]).toEqual([1, expect.stringContaining("has 2 names (hard links)")]);
  other[Symbol.dispose]();
}, 30_000);

test("commands work beside it", async () => {
  const { id } = await workplace.json("keys", "create", "--name", "My app", "--plan", "free");
  await workplace.json("keys", "revoke", id);
  await workplace.json("pets", "export", "--output", "pets.ndjson");
  await workplace.json("database", "migrate");
  await workplace.json("database", "backup", "copy.db");
}, 30_000);

test("the next one starts after kill -9", async () => {
  await program.kill();
  program = await Program.start({ directory: directory.path });
  expect((await fetch(`${program.url}/readyz`)).status).toBe(200);
}, 30_000);
