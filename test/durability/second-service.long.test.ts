import { afterAll, beforeAll, expect, test } from "bun:test";
import { linkSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Workplace } from "../commands/petstore.ts";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { freePort } from "../support/ports.ts";
import { commandFor, MAIN } from "../support/runtime.ts";
import { sqliteIn } from "../support/store.ts";
import { obstacleToMounts, withBindMount } from "./bind-mounts.ts";
import { type Command, Program, SERVE } from "./program.ts";
import { createKey, StoreDirectory } from "./store-directory.ts";

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
  states("docs/running.md", "Use `--workers` if one core is not enough. Several nodes need PostgreSQL and Redis.");
  states(
    "docs/upgrading.md",
    "Another `serve` uses the same SQLite file. | Stop it, or choose another `DATABASE_URL`.",
  );
  states("docs/upgrading.md", "`Another process serves …` at startup | Another `serve` uses the same SQLite file.");
  states("docs/data.md", "a second `serve` on the same database is refused");
  states("docs/running.md", "a second `serve` on the same file does not start.");
  symlinkSync(workplace.path("petstore.db"), workplace.path("link.db"));
  for (const name of ["petstore.db", "link.db"]) {
    const env = { DATABASE_URL: `sqlite:${workplace.path(name)}` };
    const { code, stderr } = await Program.run({ directory: directory.path, env });
    expect(code).toBe(1);
    expect(stderr).toBe(
      `petstore: Another process serves ${workplace.path(name)}: limits would be counted twice. Stop that one, or set DATABASE_URL to another file. For several processes, use --workers.\n`,
    );
  }
  expect((await fetch(`${program.url}/readyz`)).status).toBe(200);
});

test("a database that has a second name by a hard link is refused, by commands too", async () => {
  states("docs/data.md", "The file must have one name: one with hard links is refused");
  states("docs/data.md", "The file must have one name: one with hard links is refused");
  using other = new StoreDirectory();
  const its = new Workplace({ store: sqliteIn(other.path) });
  await its.json("database", "migrate");
  linkSync(its.path("petstore.db"), its.path("twin.db"));
  const { code, stderr } = await Program.run({ directory: other.path });
  expect([code, stderr]).toEqual([1, expect.stringContaining("has 2 names (hard links)")]);
  expect((await its.run(["keys", "list"])).stderr).toBe(stderr);
});

const obstacle = obstacleToMounts();
if (obstacle !== undefined) console.log(`skipped, a mounted file: ${obstacle}`);

test.skipIf(obstacle !== undefined)("a mount of the file is refused, by commands too", async () => {
  states("docs/data.md", "and so is the mount of a single file into a container, whose log would be elsewhere.");
  using other = new StoreDirectory();
  // A space is escaped in the list of mounts.
  const name = join(other.path, "other name.db");
  writeFileSync(name, "");
  for (const subcommand of [["serve"], ["keys", "list"]]) {
    const command = withBindMount(workplace.path("petstore.db"), name, [...commandFor(MAIN), ...subcommand]);
    const env = { DATABASE_URL: `sqlite:${name}` };
    const { code, stderr } = await Program.run({ directory: other.path, env, command });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `petstore: ${name} is the mount of a single file: a process that uses that file by its own name would damage it, and its log would be outside of the mount. Mount the directory that contains it.\n`,
    });
  }
  expect(readdirSync(other.path).filter((file) => file.startsWith("other"))).toEqual(["other name.db"]);
});

test.skipIf(obstacle !== undefined)("a mount of the directory is not served twice", async () => {
  using other = new StoreDirectory();
  const name = join(other.path, "petstore.db");
  const { code, stderr } = await Program.run({
    directory: other.path,
    command: withBindMount(directory.path, other.path, SERVE),
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining(`Another process serves ${name}: `)]);
  expect((await fetch(`${program.url}/readyz`)).status).toBe(200);
});

test("commands work beside it", async () => {
  states(
    "docs/data.md",
    "The running service locks the empty file `petstore.db.lock`: a second `serve` on the same database is refused, commands are not.",
    "Other programs may read the file while the service runs; only `petstore` should write it.",
  );
  states("docs/data.md", "commands are not.");
  const { id } = await workplace.json("keys", "create", "--name", "My app", "--plan", "free");
  await workplace.json("keys", "revoke", id);
  await workplace.json("pets", "export", "--output", "pets.ndjson");
  await workplace.json("database", "migrate");
  await workplace.json("database", "backup", "copy.db");
});

test.each([[], ["--workers", "2"]])(
  "a service whose lock was deleted answers no more once another one serves its database: serve %p",
  async (...options) => {
    states(
      "docs/data.md",
      "Without the lock a second service can start, and the first one answers 503 before that listens.",
    );
    using other = new StoreDirectory();
    const secret = await createKey(other.path);
    const headers = { Authorization: `Bearer ${secret}` };
    const env = { PORT: String(await freePort()), PETSTORE_ADMIN_PORT: "off" };
    const first = await Program.start({ directory: other.path, env, command: [...SERVE, ...options] as Command });
    const ask = async ({ url }: Program) => (await fetch(`${url}/v1/pets`, { headers })).status;
    expect(await ask(first)).toBe(200);
    rmSync(join(other.path, "petstore.db.lock"));
    const second = await Program.start({ directory: other.path });
    const statuses = new Set<number>();
    for (let i = 0; i < 100; i++) statuses.add(await ask(first));
    expect([...statuses]).toEqual([503]);
    expect(await ask(second)).toBe(200);
    if (options.length > 0) {
      // A worker that takes the place of another one belongs to the first service, too.
      const listening = () => first.printed.stdout.split('"listening"').length;
      const before = listening();
      const [, worker] = /"pid":(\d+)[^\n]*"listening"/.exec(first.printed.stdout) ?? [];
      process.kill(Number(worker), "SIGKILL");
      await eventually(() => listening() > before);
      for (let i = 0; i < 100; i++) expect(await ask(first)).toBe(503);
    }
    await first.kill();
    await second.kill();
  },
);

test("the next one starts after kill -9", async () => {
  states("docs/data.md", "The lock ends with the process, even after `kill -9`.");
  await program.kill();
  program = await Program.start({ directory: directory.path });
  expect((await fetch(`${program.url}/readyz`)).status).toBe(200);
});
