import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { appendFileSync, rmSync, statfsSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { Reserve } from "../../src/adapters/sqlite/reserve.ts";
import { Workplace } from "../commands/petstore.ts";
import { states } from "../support/markdown.ts";
import { freePort } from "../support/ports.ts";
import { databasePathOf, sqliteIn } from "../support/store.ts";
import { type Command, Program, SERVE } from "./program.ts";
import { type SmallDisk, smallDisk } from "./small-disk.ts";
import { createKey } from "./store-directory.ts";

const FREE_PER_MINUTE = 60;

const possible = smallDisk();
const isPossible = !("reason" in possible) && possible.isFileSystem;
if (!("reason" in possible)) possible[Symbol.dispose]();
if (!isPossible) console.log("skipped, the reserve on a full disk: this needs the right to mount one");

describe.skipIf(!isPossible)("on a disk without any space", () => {
  let disk: SmallDisk;
  let petstore: Workplace;
  let program: Program;
  let secret: string;
  beforeEach(async () => {
    disk = smallDisk() as SmallDisk;
    petstore = new Workplace({ store: sqliteIn(disk.directory) });
    secret = await createKey(disk.directory);
  });
  afterEach(async () => {
    await program?.kill();
    disk[Symbol.dispose]();
  });

  const start = async (...options: string[]) => {
    const env = { PORT: String(await freePort()), PETSTORE_ADMIN_PORT: String(await freePort()) };
    program = await Program.start({ directory: disk.directory, env, command: [...SERVE, ...options] as Command });
    return `http://127.0.0.1:${env.PETSTORE_ADMIN_PORT}/admin/v1`;
  };
  const stop = async () => {
    program.process.kill("SIGTERM");
    return program.end();
  };
  const ask = (key: string, options: RequestInit = {}) =>
    fetch(`${program.url}/v1/pets`, {
      ...options,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    });
  const create = () => ask(secret, { method: "POST", body: JSON.stringify({ name: "Rex", categoryId: 1 }) });
  const remaining = async (key: string) => Number((await ask(key)).headers.get("X-RateLimit-Remaining"));
  const reserved = () => statSync(`${databasePathOf(disk.directory)}.reserve`, { throwIfNoEntry: false })?.size ?? 0;
  const isFree = (bytes: number) => {
    const { bavail, bsize } = statfsSync(disk.directory);
    return bavail * bsize > bytes;
  };
  /** Other programs take what is free, but for so many bytes. */
  const fill = (left = 0) => {
    const filler = join(disk.directory, "filler");
    try {
      while (left === 0 || isFree(left)) appendFileSync(filler, Buffer.alloc(4_096));
    } catch {
      // It is full.
    }
  };
  /**
   * The same while nobody has needed the reserve. The service is stopped meanwhile: what it released at this moment would be taken
   * from it.
   */
  const fillBesideReserve = () => {
    process.kill(-Number(program.process.pid), "SIGSTOP");
    if (reserved() > 0) fill();
    process.kill(-Number(program.process.pid), "SIGCONT");
  };
  /** Adds pets until there is no room for another one, while other programs take what is left. */
  const fillUp = async () => {
    for (let i = 0; i < 20; i++) expect((await create()).status).toBe(201);
    fill();
    // What is in the log already takes some more.
    while ((await create()).status === 201);
    fill();
    expect(statfsSync(disk.directory).bavail).toBe(0);
  };

  test.each([[], ["--workers", "2"]])(
    "operators change keys and sign in, and limits are kept over a stop: serve %p",
    async (...options) => {
      states(
        "docs/data.md",
        "When the disk is full otherwise, changes of keys and operators, sessions and the counters of limits use it, by the console and by commands; everything else is 503",
      );
      states(
        "docs/upgrading.md",
        "| A new, rotated or revoked key, once the command has reported it | kept | kept | kept |",
      );
      const free = await petstore.json("keys", "create", "--name", "a used key", "--plan", "free");
      const leaked = await petstore.json("keys", "create", "--name", "a leaked key", "--plan", "free");
      const { token } = await petstore.json("operators", "create", "--name", "Ada", "--role", "admin");
      const admin = await start(...options);
      await fillUp();
      const whole = reserved();
      // For seconds, in which counters are saved again and again.
      for (let i = 0; i < 40; i++) {
        expect((await ask(free.key)).status).toBe(200);
        // The log gives back what it has beyond its usual size.
        fillBesideReserve();
        await pause(100);
      }
      const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
      const session = await fetch(`${admin}/session`, { method: "POST", headers, body: JSON.stringify({ token }) });
      expect(session.status).toBeWithin(200, 300);
      const revoked = await fetch(`${admin}/keys/${leaked.id}/revoke`, { method: "POST", headers });
      expect(revoked.status).toBe(200);
      expect((await ask(leaked.key)).status).toBe(401);
      const { key: other } = await petstore.json("keys", "create", "--name", "another", "--plan", "free");
      expect((await ask(other)).status).toBe(200);
      // While the log has room, nobody needs the reserve; once operators do, it is for them alone.
      for (let i = 0; reserved() > 0; i++) {
        fillBesideReserve();
        const body = JSON.stringify({ name: `Key ${i}`, plan: "free" });
        expect((await fetch(`${admin}/keys`, { method: "POST", headers, body })).status).toBe(201);
      }
      fill(256 * 1024);
      expect((await create()).status).toBe(503);

      expect(await stop()).toMatchObject({
        code: 0,
        stdout: expect.not.stringContaining("counters of limits could not"),
      });
      fill();
      await start(...options);
      expect(await remaining(free.key)).toBe(FREE_PER_MINUTE - 41);
      expect((await ask(leaked.key)).status).toBe(401);
      expect((await create()).status).toBe(503);

      // With room for the reserve, but not for as much beside it, operators alone may still write.
      const filler = join(disk.directory, "filler");
      truncateSync(filler, statSync(filler).size - (1.5 * whole - reserved()));
      await pause(1_100);
      expect((await create()).status).toBe(503);
      rmSync(filler);
      await pause(1_100);
      expect((await create()).status).toBe(201);
    },
  );

  test("after a stop it is not whole until the disk has room for twice as much, so that a start does not write", () => {
    states(
      "docs/data.md",
      "everything else is 503 until the disk has room for twice as much. If it is deleted while there is room, the service makes it again.",
    );
    states("docs/data.md", "until the disk has room for twice as much.");
    const path = databasePathOf(disk.directory);
    const reserve = new Reserve(path);
    reserve.require();
    const size = reserved();
    expect(reserve.release()).toBe(true);
    fill(1.5 * size);
    reserve.refill();
    expect(reserved()).toBeGreaterThan(0);
    expect(() => new Reserve(path).require()).toThrow("cannot process this request now");
    rmSync(join(disk.directory, "filler"));
    new Reserve(path).require();
    expect(reserved()).toBe(size);
  });

  test("a stop says that counters could not be kept, if even the reserve is taken", async () => {
    states(
      "CHANGELOG.md",
      "lets operators change keys and sign in, and keeps the counters of limits over a stop, while other writes are 503. A stop that could not save counters logs an error.",
    );
    await start();
    await create();
    const other = new DatabaseSync(databasePathOf(disk.directory));
    other.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    other.close();
    rmSync(join(disk.directory, "petstore.db.reserve"));
    fill();
    for (let i = 0; i < 10; i++) await ask(secret);
    const { stdout } = await stop();
    const lines = stdout.split("\n").filter((line) => line.includes("the counters of limits could not be kept"));
    expect(lines.map((line) => JSON.parse(line).level)).toEqual([50]);
  });
});
