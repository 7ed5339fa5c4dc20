import { afterEach, beforeEach, expect, test } from "bun:test";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { databasePathOf } from "../support/store.ts";
import { type Command, type End, Program, SERVE } from "./program.ts";
import { StoreDirectory } from "./store-directory.ts";

let directory: StoreDirectory;
beforeEach(() => {
  directory = new StoreDirectory();
});
afterEach(() => directory[Symbol.dispose]());

/** A start that fails: it exits with 1 and prints the reason in a line or two. */
async function refusedStart(env: Record<string, string> = {}): Promise<End> {
  const end = await Program.run({ directory: directory.path, env });
  expect(end).toMatchObject({ code: 1, signal: null });
  expect(end.stderr).toStartWith("petstore");
  expect(end.stderr.trim().split("\n").length).toBeLessThan(4);
  expect(end.stderr + end.stdout).not.toMatch(/^\s+at |pets_live_|node_modules|\.ts:\d/m);
  return end;
}

test("a port in use is reported, and no key is created", async () => {
  states(
    "docs/upgrading.md",
    "Another program uses the port, perhaps another `serve`. | Stop it, or choose another `PORT`.",
  );
  states(
    "docs/upgrading.md",
    "`EADDRINUSE` or `port … in use` at startup | Another program uses the port, perhaps another `serve`.",
  );
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const { stderr } = await refusedStart({ PORT: String(port) });
  expect(stderr).toContain(String(port));
  expect(stderr).toMatch(/in use/i);
  const database = new DatabaseSync(databasePathOf(directory.path));
  expect(database.prepare("SELECT count(*) AS keys FROM keys").get()).toEqual({ keys: 0 });
  database.close();
  other.close();

  const next = await Program.start({ directory: directory.path });
  await eventually(() => next.printed.stderr.includes("pets_live_"));
  await next.kill();
});

test("with PORT=0 every address has the actual port", async () => {
  const program = await Program.start({ directory: directory.path });
  await eventually(() => program.printed.stderr.includes("Console:"));
  const { stdout, stderr } = program.printed;
  const base = `${program.url}/v1`;
  states("docs/monitoring.md", "`listening` | info | The service is ready: with deployment, address, port and file.");
  const [, ownAdminPort = ""] = /Console: +http:\/\/127\.0\.0\.1:(\d+)\//.exec(stderr) ?? [];
  expect(JSON.parse(stdout.split("\n").find((line) => line.includes('"listening"')) ?? "")).toMatchObject({
    ...{ level: 30, deployment: "production", url: base, host: "127.0.0.1", port: Number(new URL(base).port) },
    ...{ adminPort: Number(ownAdminPort), database: `sqlite:${databasePathOf(directory.path)}` },
  });
  expect(stderr).toContain(`${base}/pets\n`);
  expect(await (await fetch(`${program.url}/openapi.json`)).json()).toMatchObject({ servers: [{ url: base }, {}] });
  const documents = await (await fetch(`${program.url}/llms-full.txt`)).text();
  const [, adminPort = ""] = /Console: +http:\/\/127\.0\.0\.1:(\d+)\//.exec(stderr) ?? [];
  expect([adminPort, "8081"].map((port) => documents.includes(`http://127.0.0.1:${port}/admin`))).toEqual([
    true,
    false,
  ]);
  const [secret = ""] = /pets_live_\w+/.exec(stderr) ?? [];
  const answer = await fetch(`${base}/pets/1`, { headers: { Authorization: `Bearer ${secret}` } });
  expect(answer.headers.get("Link")).toContain(`<${base}/pets?ids=1>`);
  await program.kill();
});

test("a unit of systemd says where the documentation has how its commands are run", async () => {
  const command: Command = ["sh", "-c", 'SYSTEMD_EXEC_PID=$$ exec "$@"', "sh", ...SERVE];
  const program = await Program.start({ command, directory: directory.path });
  await eventually(() => program.printed.stderr.includes("The alias for that:"));
  const [link = "", anchor = ""] = /(?<=alias for that:\s+)\S+#(\S+)/.exec(program.printed.stderr) ?? [];
  const page = await fetch(link);
  expect([link.startsWith(`${program.url}/docs/`), page.status]).toEqual([true, 200]);
  const [, after = ""] = (await page.text()).split(` id="${anchor}"`);
  expect(after.split(/<h\d/)[0]).toMatch(/\balias\b/);
  await program.kill();
});

test("a port of the administration interface in use is reported, with the variable to change", async () => {
  states(
    "docs/running.md",
    "Two services of one deployment on one machine need different values of `PETSTORE_ADMIN_PORT`",
  );
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const { stderr } = await refusedStart({ PETSTORE_ADMIN_PORT: String(port) });
  expect(stderr).toContain(`127.0.0.1:${port}. Set PETSTORE_ADMIN_PORT`);
  expect(stderr).toMatch(/in use/i);
  other.close();
});

test("a directory that is not writable is reported", async () => {
  const { stderr } = await refusedStart({ DATABASE_URL: `sqlite:${join(unwritableDirectory(), "petstore.db")}` });
  expect(stderr).toMatch(/petstore\.db cannot be used: .*whether this user may write the file and its directory/);
});

test("a directory that cannot be created is reported", async () => {
  writeFileSync(join(directory.path, "file"), "");
  const path = join(directory.path, "file", "petstore.db");
  const { stderr } = await refusedStart({ DATABASE_URL: `sqlite:${path}` });
  expect(stderr).toContain(path);
});

test("a database from a newer version is refused, and not changed", async () => {
  await (await Program.start({ directory: directory.path })).kill();
  const path = databasePathOf(directory.path);
  const database = new DatabaseSync(path);
  database.exec("PRAGMA user_version = 1000");
  database.close();
  const { stderr } = await refusedStart();
  expect(stderr).toMatch(/newer petstore \(schema 1000, this one supports \d+\)/);
  const reopened = new DatabaseSync(path);
  expect(reopened.prepare("PRAGMA user_version").get()).toEqual({ user_version: 1000 });
  reopened.close();
});

test("another program's database is refused, and not changed", async () => {
  states(
    "docs/upgrading.md",
    "`… is a database, but not a petstore's` | `DATABASE_URL` names another program's file.",
    "`… is a database, but not a petstore's` | `DATABASE_URL` names another program's file. | Correct it. The file was not changed.",
  );
  const database = new DatabaseSync(databasePathOf(directory.path));
  database.exec("CREATE TABLE theirs (a)");
  database.close();
  expect((await refusedStart()).stderr).toContain("not a petstore's");
});

test("a file that is not a database is refused, and not changed", async () => {
  states("docs/upgrading.md", "A file that cannot be opened at all is refused at startup.");
  const path = databasePathOf(directory.path);
  const text = "This is no database. ".repeat(1_000);
  writeFileSync(path, text);
  expect((await refusedStart()).stderr).toMatch(/petstore\.db cannot be used: .*not a database/);
  expect(readFileSync(path, "utf8")).toBe(text);
});

test("a database with damaged pages is refused", async () => {
  states(
    "docs/upgrading.md",
    "The file is damaged or cut off, is no database, or its disk is full or not writable: the line says which. | Restore a backup, correct `DATABASE_URL`, or free space.",
  );
  await (await Program.start({ directory: directory.path })).kill();
  const path = databasePathOf(directory.path);
  checkpoint(path);
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xa5, 100));
  expect((await refusedStart()).stderr).toMatch(/petstore\.db.*(malformed|corrupt|not a database)/);
});

test("all configuration errors are reported at once", async () => {
  states(
    "docs/upgrading.md",
    "`petstore cannot start:` and a list | Settings are wrong. | Correct the settings in the list: each line says what the value must be.",
  );
  states("docs/running.md", "Settings: if any are wrong at startup, the service lists all errors");
  const { stderr } = await Program.run({
    directory: directory.path,
    env: { PORT: "eighty", PETSTORE_DEPLOYMENT: "test", DATABASE_URL: "mysql://localhost/pets" },
  });
  for (const name of ["PORT", "PETSTORE_DEPLOYMENT", "DATABASE_URL"]) expect(stderr).toContain(`${name} must be`);
  expect(existsSync(databasePathOf(directory.path))).toBe(false);
});

/** A directory to which not even root can write, if the test runs as root. */
function unwritableDirectory(): string {
  if (process.getuid?.() === 0) return "/proc";
  const path = join(directory.path, "unwritable");
  mkdirSync(path);
  chmodSync(path, 0o555);
  return path;
}

/** Moves the write-ahead log into the database file. */
function checkpoint(path: string): void {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}
