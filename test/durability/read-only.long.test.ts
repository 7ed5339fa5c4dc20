import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Workplace } from "../commands/petstore.ts";
import { states } from "../support/markdown.ts";
import { commandFor, MAIN } from "../support/runtime.ts";
import { temporaryDirectory } from "../support/temporary.ts";
import { obstacleToMounts } from "./bind-mounts.ts";
import { type Command, Program } from "./program.ts";

const obstacle = obstacleToMounts();
if (obstacle !== undefined) console.log(`skipped, a read-only file system: ${obstacle}`);

describe.skipIf(obstacle !== undefined)("on a read-only file system", () => {
  let petstore: Workplace;
  let id: string;
  let target: string;
  beforeEach(async () => {
    petstore = new Workplace();
    target = temporaryDirectory();
    ({ id } = await petstore.json("keys", "create", "--name", "My app", "--plan", "free", "--create"));
    await petstore.run(["pets", "import", "-", "--format", "ndjson"], { input: '{"name":"Rex","categoryId":1}\n' });
  });
  afterEach(() => {
    petstore.remove();
    rmSync(target, { recursive: true });
  });

  /** Runs the command where the directory of the database is mounted read-only. */
  const run = (...args: string[]) => {
    const script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && cd / && exec "$@"';
    const mounted: Command = ["unshare", "--mount", "sh", "-c", script, petstore.directory];
    return petstore.run(args, { version: [...mounted, ...commandFor(MAIN)] });
  };
  const files = () => readdirSync(petstore.directory).map((name) => [name, readFileSync(petstore.path(name), "hex")]);

  async function expectReadable(): Promise<void> {
    const before = files();
    expect((await run("keys", "list", "--json")).json).toMatchObject([{ id }]);
    expect((await run("keys", "show", id, "--json")).json).toMatchObject({ id });
    expect((await run("pets", "export")).stdout).toContain('"name":"Rex"');
    expect((await run("audit", "--json")).json).toHaveLength(2);
    expect((await run("database", "check", "--json")).json).toMatchObject({ intact: true, lost: null });
    const copy = join(target, "copy.db");
    expect(await run("database", "backup", copy)).toMatchObject({ code: 0, stderr: "" });
    const restored = { DATABASE_URL: `sqlite:${join(target, "restored.db")}` };
    const restore = await petstore.run(["database", "restore", copy, "--create", "--json"], { env: restored });
    expect(restore.json).toMatchObject({ pets: 1, keys: 1, verified: true });
    expect(files()).toEqual(before);
  }

  test("commands read a database that was closed", expectReadable);

  test("commands read a database whose process was killed, with its log", async () => {
    states(
      "docs/data.md",
      "On a read-only file system, and where a user may only read the files, commands read what they can: `keys list`, exports, `database check`, and `database backup` to another disk, also after a crash, and from a copy of the database and its log alone.",
    );
    const program = await Program.start({ directory: petstore.directory });
    await petstore.json("keys", "rename", id, "Another name");
    await program.kill();
    expect(readdirSync(petstore.directory)).toContain("petstore.db-wal");
    rmSync(petstore.path(".bun"), { recursive: true, force: true });
    expect((await run("keys", "list", "--json")).json).toMatchObject([{ name: "Another name" }]);
    expect((await run("database", "check", "--json")).json).toMatchObject({ intact: true });
    expect(await run("database", "backup", join(target, "copy.db"))).toMatchObject({ code: 0, stderr: "" });
    // A copy may lack the index of the log: what is in the log is read nevertheless.
    rmSync(petstore.path("petstore.db-shm"));
    rmSync(join(target, "copy.db"));
    expect((await run("keys", "list", "--json")).json).toMatchObject([{ name: "Another name" }]);
    expect((await run("pets", "export")).stdout).toContain('"name":"Rex"');
    expect((await run("database", "check", "--json")).json).toMatchObject({ intact: true });
    expect(await run("database", "backup", join(target, "copy.db"))).toMatchObject({ code: 0, stderr: "" });
    expect(readdirSync(petstore.directory)).not.toContain("petstore.db-shm");
  });

  test("what writes is refused with the reason, and so is a service", async () => {
    const before = files();
    const { code, stderr } = await run("keys", "revoke", id);
    expect([code, stderr]).toEqual([
      1,
      "petstore: the database is not available: attempt to write a readonly database\n",
    ]);
    const started = await run("serve", "--port", "0");
    expect([started.code, started.stderr]).toEqual([
      1,
      expect.stringContaining(
        "this user may only read it. Check DATABASE_URL, the disk, and whether this user may write",
      ),
    ]);
    expect(files()).toEqual(before);
  });
});
