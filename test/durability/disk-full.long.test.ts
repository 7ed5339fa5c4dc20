import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { currentVersion } from "../../src/adapters/sql/sql.ts";
import { identityOf } from "../../src/adapters/sqlite/migrate.ts";
import { migrations } from "../../src/adapters/sqlite/migrations.ts";
import { openThisSchema } from "../adapters/sqlite/older-schema.ts";
import { eventually } from "../support/eventually.ts";
import { type Answer, KeepAliveConnection, requestText } from "../support/keep-alive.ts";
import { states } from "../support/markdown.ts";
import { commandFor } from "../support/runtime.ts";
import { databasePathOf } from "../support/store.ts";
import { readCatalogue } from "./catalogue.ts";
import { Ledger } from "./ledger.ts";
import { type Command, Program } from "./program.ts";
import { smallDisk } from "./small-disk.ts";
import { createKey } from "./store-directory.ts";

const CONNECTIONS = 16;
const SOUND = { lost: [], twice: [], altered: [] };

/** The service of the next version, whose schema has one more migration. */
const NEXT: Command = [...commandFor(fileURLToPath(new URL("../support/next-version.ts", import.meta.url))), "serve"];

const disk = smallDisk();
if ("reason" in disk) console.log(`skipped, a full disk: ${disk.reason}`);

describe.skipIf("reason" in disk)("on a full disk", () => {
  if ("reason" in disk) return;
  const ledger = new Ledger();
  let program: Program;
  let secret: string;
  let connection: KeepAliveConnection;
  /** A store of an older schema than that of the next version, and a connection to it: without one, opening it would need room for its index of the log. */
  const oldPath = join(disk.directory, "old.db");
  let old: DatabaseSync;

  const create = async (): Promise<Answer> => {
    const { number, body } = ledger.next();
    const answer = await connection.request(requestText("POST", "/v1/pets", secret, body));
    if (answer.status === 201) ledger.acknowledge(number, answer.body);
    return answer;
  };

  beforeAll(async () => {
    secret = await createKey(disk.directory);
    old = openThisSchema(oldPath);
    program = await Program.start({ directory: disk.directory, command: disk.command });
    connection = await KeepAliveConnection.open(program.url);
    await fillUp(program.url, secret, ledger);
  });
  afterAll(async () => {
    await program?.kill();
    old?.close();
    disk[Symbol.dispose]();
  });

  test("creations are 503 with Retry-After", async () => {
    states("docs/errors.md", "its disk is full,");
    states(
      "docs/upgrading.md",
      "| A creation without a response | completely there, or not at all | the same | not there; 503 |",
    );
    const { status, head, body } = await create();
    expect(status).toBe(503);
    expect(JSON.parse(body)).toMatchObject({ code: "service_unavailable", status: 503 });
    expect(head).toMatch(/^retry-after: [1-9]\d*\r?$/im);
    expect(head).toMatch(/^x-ratelimit-remaining: \d+\r?$/im);
    expect(body).not.toMatch(/sqlite|disk|full|\//i);
  });

  test("reads work, and return exactly the acknowledged pets", async () => {
    states("docs/reliability.md", "Full disk | Creations get 503, lists work,");
    states("docs/upgrading.md", "| Reading | | | continues |");
    const found = await readCatalogue(program.url, secret);
    expect(ledger.check(found)).toEqual(SOUND);
    expect(found).toHaveLength(ledger.acknowledged);
  });

  test("a start on it reads, and refuses creations", async () => {
    states("docs/reliability.md", "A restart after a crash works as well;");
    await program.kill();
    program = await Program.start({ directory: disk.directory, command: disk.command });
    connection = await KeepAliveConnection.open(program.url);
    // A start may make some room: it copies what fits from the log.
    await fillUp(program.url, secret, ledger);
    expect((await create()).status).toBe(503);
    const found = await readCatalogue(program.url, secret);
    expect(ledger.check(found)).toEqual(SOUND);
    expect(found).toHaveLength(ledger.acknowledged);
  });

  test.skipIf(!disk.isFileSystem)(
    "a database that cannot be brought up to date says why, and is left as it was",
    async () => {
      // The service on this disk empties its log once a write fails, which gives the disk room.
      program.process.kill("SIGSTOP");
      // On a busy machine a creation is 503 before the disk is full.
      fillDisk(join(disk.directory, "filler"));
      const env = { DATABASE_URL: `sqlite:${oldPath}` };
      const { code, stderr } = await Program.run({ command: NEXT, directory: disk.directory, env });
      program.process.kill("SIGCONT");
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `petstore: ${oldPath} cannot be brought up to date: database or disk is full.\n`,
      });
      expect(identityOf(old).version).toBe(currentVersion(migrations));
    },
  );

  test("creations work again when there is room", async () => {
    states("docs/reliability.md", "no acknowledged pet is lost, and the service recovers by itself.");
    disk.makeRoom(program);
    await eventually(async () => (await create()).status === 201);
    for (let i = 0; i < 100; i++) expect((await create()).status).toBe(201);
    const found = await readCatalogue(program.url, secret);
    expect(ledger.check(found)).toEqual(SOUND);
    expect(found).toHaveLength(ledger.acknowledged);
    expect(program.isRunning).toBe(true);
  });

  test("a crash afterwards loses nothing", async () => {
    states(
      "docs/upgrading.md",
      "| | kill -9, crash | Power loss | Full disk |",
      "| A pet whose creation was answered with 201 | kept | kept, if the disk reports syncs correctly | kept |",
    );
    await program.kill();
    program = await Program.start({ directory: disk.directory });
    const found = await readCatalogue(program.url, secret);
    expect(ledger.check(found)).toEqual(SOUND);
    expect(found).toHaveLength(ledger.acknowledged);
  });
});

/** Adds pets until the disk is full: the last response on every connection is 503. */
async function fillUp(url: string, secret: string, ledger: Ledger): Promise<void> {
  const fill = async () => {
    const connection = await KeepAliveConnection.open(url);
    for (;;) {
      const { number, body } = ledger.next();
      const answer = await connection.request(requestText("POST", "/v1/pets", secret, body));
      if (answer.status === 503) return connection.close();
      if (answer.status !== 201) throw new Error(`a creation was answered ${answer.status}: ${answer.body}`);
      ledger.acknowledge(number, answer.body);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, fill));
}

const isFileSystem = !("reason" in disk) && disk.isFileSystem;
if (!isFileSystem) console.log("skipped, a start on a disk without any space: this needs the right to mount one");

test.skipIf(!isFileSystem)(
  "a start on a disk without space for the index of the log says how much it needs",
  async () => {
    const own = smallDisk();
    if ("reason" in own) return;
    using _ = own;
    const { directory } = own;
    await createKey(directory);
    fillDisk(join(directory, "filler"));
    const { code, stderr } = await Program.run({ directory });
    const path = databasePathOf(directory);
    expect(code).toBe(1);
    expect(stderr).toStartWith(`petstore: ${path} cannot be used: `);
    expect(stderr).toEndWith(". Its disk is full: free at least 32 kB.\n");

    rmSync(join(directory, "filler"));
    await (await Program.start({ directory })).kill();
  },
);

/** Writes a file until the disk is full. */
function fillDisk(path: string): void {
  const file = openSync(path, "w");
  try {
    for (;;) writeSync(file, Buffer.alloc(4_096));
  } catch {
    closeSync(file);
  }
}
