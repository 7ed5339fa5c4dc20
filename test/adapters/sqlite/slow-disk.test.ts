import { afterEach, beforeEach, expect, test } from "bun:test";
import { readdirSync, readlinkSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { SqlEvents } from "../../../src/adapters/sql/records.ts";
import { SLOW_DISK } from "../../../src/adapters/sqlite/checkpoints.ts";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { HighWaterMarkFile } from "../../../src/adapters/sqlite/ids.ts";
import { SqlitePets } from "../../../src/adapters/sqlite/pets.ts";
import { states } from "../../support/markdown.ts";
import { type TemporaryFile, temporaryFile } from "./temporary.ts";

/** The bytes of a page of the log, with its header. */
const FRAME = 4_096 + 24;
const REX = { name: "Rex", categoryId: 1n };

let file: TemporaryFile;
let database: Database;
let pets: SqlitePets;
/** Another process, such as a command. */
let other: DatabaseSync;
/** Opens a database on a disk that counts as slow, whose log is long with so many pages. */
function open(long: number): void {
  database = new Database({ ...file, isAlone: true }, { ...SLOW_DISK, slow: 0, beside: 1, part: 20, long });
  pets = new SqlitePets(database);
}
beforeEach(() => {
  file = temporaryFile();
  open(10_000);
  other = new DatabaseSync(file.path);
});
afterEach(() => {
  other.close();
  database.close();
  file.remove();
});

const create = () => pets.create(REX, { now: 0 });
/** Begins a write, and resolves once it is committed: no thread has brought it to the disk before this turn ends. */
async function committed<T>(write: Promise<T>) {
  const state = { isAcknowledged: false, write };
  write.then(
    () => {
      state.isAcknowledged = true;
    },
    () => {},
  );
  await nextTurn();
  return state;
}
const inFile = () => Number(other.prepare("SELECT count(*) AS count FROM pets").get()?.count);
const addElsewhere = () =>
  other.prepare("INSERT INTO pets (name, category_id, status, name_key) VALUES ('Mia', 1, 'sold', 'mia')").run();

/** All that this process says of pets, by each way to read them. */
async function seen() {
  const { available } = await pets.inventory();
  const [row] = database.all("SELECT count(*) AS count FROM petstore.pets");
  return {
    byId: pets.get(2n)?.id,
    page: pets.page({ limit: 10, after: 0n }).map(({ id }) => id),
    available,
    counted: Number(row?.count),
    first: Number(database.first("SELECT max(id) AS id FROM petstore.pets")?.id),
    newest: Number(await new SqlEvents(database).newest()),
  };
}

test("a commit that is not on the disk is seen by none of the ways to read, and then by all at once", async () => {
  states(
    "docs/development/stores.md",
    "Meanwhile reads use another connection, whose snapshot is the last commit that is acknowledged.",
  );
  await create();
  const before = { seen: await seen(), revision: database.revision };
  const { write, ...state } = await committed(create());
  expect(inFile()).toBe(2);
  database.refresh();
  const hidden = { isAcknowledged: state.isAcknowledged, seen: await seen(), revision: database.revision };
  expect(hidden).toEqual({ isAcknowledged: false, ...before });
  await write;
  expect(await seen()).toEqual({ byId: 2, page: [1, 2], available: 2, counted: 2, first: 2, newest: 3 });
  database.refresh();
  expect(database.revision).toBeGreaterThan(before.revision);
});

test("what another process commits behind it is seen at once with it, once", async () => {
  await create();
  for (const look of [() => database.refresh(), () => database.first("SELECT 1")]) {
    const { counted } = await seen();
    const before = database.revision;
    const { write } = await committed(create());
    addElsewhere();
    look();
    const shown = database.revision;
    expect(shown).toBeGreaterThan(before);
    expect(pets.page({ limit: 100, after: 0n })).toHaveLength(counted + 2);
    await write;
    expect(database.revision).toBe(shown);
  }
});

test("what another process commits between two commits is seen with the first, and the second once it is acknowledged", async () => {
  await create();
  const count = () => pets.page({ limit: 100, after: 0n }).length;
  for (let round = 0; round < 10; round++) {
    const before = count();
    const first = await committed(create());
    addElsewhere();
    const second = await committed(create());
    for (const look of [() => database.refresh(), () => database.first("SELECT 1")]) {
      look();
      expect(count()).toBe(before + (second.isAcknowledged ? 3 : 2));
    }
    await Promise.all([first.write, second.write]);
    expect(count()).toBe(before + 3);
  }
});

test("counts are visible when their writer hears so, and not before, on a slow disk and on others", async () => {
  database.prepare("CREATE TABLE counts (count)").run();
  const plain = new Database(file);
  for (const [i, each] of [database, plain].entries()) {
    const add = each.prepare("INSERT INTO counts VALUES (1)");
    const shown: unknown[] = [];
    const onVisible = () => shown.push(each.first("SELECT count(*) AS count FROM counts")?.count);
    await each.writeUncached(() => add.run(), { onVisible });
    expect(shown).toEqual([BigInt(i + 1)]);
  }
  plain.close();
});

test("the mark of ids has only those of what is on the disk", async () => {
  using mark = new HighWaterMarkFile(file.path);
  const first = await committed(create());
  const second = await committed(create());
  const recorded = first.write.then(() => mark.read()?.highest);
  expect(await recorded).toBe(1);
  await second.write;
  expect(mark.read()?.highest).toBe(2);
});

test("a write that changes nothing waits for no disk, but for what it has read", async () => {
  await create();
  const nothing = () => database.write(() => inFile());
  expect((await committed(nothing())).isAcknowledged).toBe(true);
  const order: string[] = [];
  const changing = create().then(() => order.push("first"));
  await nextTurn();
  await Promise.all([changing, nothing().then(() => order.push("second"))]);
  expect(order).toEqual(["first", "second"]);
});

test("no snapshot is left behind by writes that succeed or fail: the log can be written back", async () => {
  const isWrittenBack = () => other.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0;
  other.exec("CREATE TABLE refers (pet REFERENCES pets(id) DEFERRABLE INITIALLY DEFERRED)");
  const failingWork = () => {
    throw new Error("this one fails");
  };
  const failingCommit = () => database.prepare("INSERT INTO refers VALUES (-1)").run();
  for (const failing of [failingWork, failingCommit]) {
    const both = [create(), database.write(failing)];
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    await expect(database.write(failing)).rejects.toThrow();
    expect(isWrittenBack()).toBe(true);
  }
  await Promise.all(Array.from({ length: 20 }, create));
  expect(isWrittenBack()).toBe(true);
});

test("a log never becomes much longer than long, and reads go on with what is in the file", async () => {
  database.close();
  open(60);
  const log = `${file.path}-wal`;
  let longest = 0;
  for (let i = 0; i < 150; i++) {
    await create();
    longest = Math.max(longest, statSync(log).size);
  }
  expect(longest / FRAME).toBeWithin(60, 120);
  expect(inFile()).toBe(150);
  expect((await seen()).counted).toBe(150);
});

test("once a file that was moved away is back, what is acknowledged is seen again", async () => {
  await create();
  const { write } = await committed(create());
  renameSync(file.path, `${file.path}.away`);
  await expect(write).rejects.toMatchObject({ code: "service_unavailable" });
  renameSync(`${file.path}.away`, file.path);
  const { id } = await create();
  database.refresh();
  expect(pets.get(BigInt(id))?.id).toBe(id);
});

test("a close leaves no file open", async () => {
  const directory = dirname(file.path);
  const own = () =>
    readdirSync("/proc/self/fd").flatMap((name) => {
      try {
        const target = readlinkSync(`/proc/self/fd/${name}`);
        return target.startsWith(directory) ? [target] : [];
      } catch {
        return [];
      }
    });
  other.close();
  await Promise.all([create(), create()]);
  await create();
  expect(own().length).toBeGreaterThan(0);
  database.close();
  expect(own()).toEqual([]);
  open(10_000);
  other = new DatabaseSync(file.path);
});
