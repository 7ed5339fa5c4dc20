import { afterEach, beforeEach, expect, test } from "bun:test";
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { Workplace } from "../commands/petstore.ts";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { freePort } from "../support/ports.ts";
import { commandFor, MAIN } from "../support/runtime.ts";
import { sqliteIn } from "../support/store.ts";
import { type Command, Program, SERVE } from "./program.ts";
import { createKey, StoreDirectory } from "./store-directory.ts";

/** The command below a umask that leaves every file to its program. */
const open = (command: Command): Command => ["sh", "-c", 'umask 0000; exec "$0" "$@"', ...command];

let directory: StoreDirectory;
let petstore: Workplace;
beforeEach(() => {
  directory = new StoreDirectory();
  petstore = new Workplace({ store: sqliteIn(directory.path) });
});
afterEach(() => directory[Symbol.dispose]());

/** The modes of all files and directories below a path, by their names; without the cache of Bun. */
function modesBelow(path: string): [name: string, mode: string][] {
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((name) => !name.startsWith(".bun"))
    .toSorted()
    .map((name) => [name, (statSync(join(path, name)).mode & 0o777).toString(8)]);
}

function expectPrivate(...names: string[]): void {
  const modes = modesBelow(directory.path);
  for (const name of names) expect(modes.map(([found]) => found)).toContainEqual(expect.stringContaining(name));
  expect(modes.filter(([, mode]) => !["600", "700"].includes(mode))).toEqual([]);
}

/** Runs a command that has to succeed. */
async function run(args: string[], input = "", env: Record<string, string> = {}): Promise<void> {
  const { code, stderr } = await petstore.run(args, { input, env, version: open(commandFor(MAIN)) });
  if (code !== 0) throw new Error(stderr);
}

test.each([[], ["--workers", "2"]])(
  "only their owner reads the files of a service, of its history and its backups: serve %p",
  async (...options) => {
    states(
      "SECURITY.md",
      "The database | Only its owner can read it: every process makes files with the mode 0600 and directories with 0700",
    );
    states(
      "docs/data.md",
      "every process makes files with the mode 0600 and directories with 0700. A file that exists keeps its mode: after an upgrade, `chmod -R go= data`.",
    );
    states("docs/data.md", "Only their owner can read these files, the request history and backups");
    const env = {
      DATABASE_URL: `sqlite:${directory.path}/new/place/petstore.db`,
      PORT: String(await freePort()),
      PETSTORE_BACKUP_EVERY: "1h",
    };
    const program = await Program.start({
      directory: directory.path,
      env,
      command: open([...SERVE, ...options] as Command),
    });
    try {
      await eventually(() => program.printed.stderr.includes("pets_live_"));
      const [secret = ""] = /pets_live_\w+/.exec(program.printed.stderr) ?? [];
      const headers = { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" };
      const body = JSON.stringify({ name: "Rex", categoryId: 1 });
      const created = await fetch(`${program.url}/v1/pets`, { method: "POST", headers, body });
      expect(created.status).toBe(201);
      const names = () => modesBelow(directory.path).map(([name]) => name);
      await eventually(() => names().some((name) => name.endsWith(".db.json")));
      await eventually(() => names().some((name) => /\.requests\/./.test(name)));
      expectPrivate("petstore.db-wal", "petstore.db-shm", ".lock", ".ids", ".requests", "backups", ".db.json");
    } finally {
      program.process.kill("SIGTERM");
      await program.end();
    }
    expectPrivate("petstore.db");
  },
);

test("only their owner reads the files that commands make", async () => {
  states("CHANGELOG.md", "also where the umask of the process allows more. Files that exist keep their modes.");
  states("docs/data.md", "every process makes files with the mode 0600 and directories with 0700.");
  await createKey(directory.path);
  await run(["pets", "import", "-", "--format", "ndjson"], '{"name":"Rex","categoryId":1}\n');
  await run(["database", "backup"]);
  await run(["database", "backup", "copy.db"]);
  await run(["database", "restore", "copy.db"]);
  await run(["database", "restore", "copy.db", "--create"], "", { DATABASE_URL: "sqlite:elsewhere/new.db" });
  await run(["database", "migrate", "--create"], "", { DATABASE_URL: "sqlite:other/deep/new.db" });
  rmSync(petstore.path("backups"), { recursive: true });
  await run(["database", "backup"]);
  expectPrivate("copy.db", "before-restore", "elsewhere/new.db", "other/deep/new.db", "backups");
});
