import { afterEach, beforeEach, expect, test } from "bun:test";
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { SqlEvents } from "../../../src/adapters/sql/records.ts";
import { backupDatabase } from "../../../src/adapters/sqlite/backup.ts";
import { acceptLoss, checkDatabase } from "../../../src/adapters/sqlite/check.ts";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import type { StoreFile } from "../../../src/adapters/sqlite/migrate.ts";
import { SqlitePets } from "../../../src/adapters/sqlite/pets.ts";
import { restoreDatabase } from "../../../src/adapters/sqlite/restore.ts";
import { lockForServing } from "../../../src/adapters/sqlite/serving-lock.ts";
import { states } from "../../support/markdown.ts";
import { crashed, damage } from "./crashed.ts";
import { type TemporaryFile, temporaryFile } from "./temporary.ts";

const REX = { name: "Rex", categoryId: 1n };

const files: TemporaryFile[] = [];
const open: Database[] = [];
let file: TemporaryFile;
beforeEach(() => {
  file = kept(temporaryFile());
});
afterEach(() => {
  for (const database of open.splice(0)) database.close();
  for (const { remove } of files.splice(0)) remove();
});

function kept(temporary: TemporaryFile): TemporaryFile {
  files.push(temporary);
  return temporary;
}

function opened(store: StoreFile): Database {
  const database = new Database(store);
  open.push(database);
  return database;
}

/** Adds pets one after the other, and returns their ids. */
async function add(database: Database, count: number): Promise<number[]> {
  const pets = new SqlitePets(database);
  const ids: number[] = [];
  for (let i = 0; i < count; i++) ids.push((await pets.create(REX, { now: Date.now() })).id);
  return ids;
}

/** Adds pets to a closed database. */
async function addTo(store: StoreFile, count: number): Promise<number[]> {
  const database = new Database(store);
  const ids = await add(database, count);
  database.close();
  return ids;
}

/** What the system keeps of a mark after a loss of power: that it was written in another boot. */
function inAnotherBoot({ path }: StoreFile): void {
  const mark = `${path}.ids`;
  writeFileSync(mark, readFileSync(mark, "latin1").replace(/ \S+ +/, ` ${"another".padEnd(36)} `));
}

test("ids go on without a gap after a stop, a crash, and a restart of the machine", async () => {
  expect(await addTo(file, 3)).toEqual([1, 2, 3]);
  inAnotherBoot(file);
  const database = opened(file);
  expect(await add(database, 3)).toEqual([4, 5, 6]);
  expect(await addTo(kept(crashed(file)), 2)).toEqual([7, 8]);
});

test("a log that is damaged is found, and none of the lost ids is given again", async () => {
  states(
    "docs/development/stores.md",
    "It shows that a damaged log has lost pets, and keeps their ids from being given again.",
  );
  states("docs/upgrading.md", "The next pet gets an id above the block, so that no id is given twice.");
  await addTo(file, 5);
  await add(opened(file), 20);
  const copy = kept(crashed(file));
  damage(`${copy.path}-wal`, 0.5);
  const after = opened(copy);
  const { from = 0, to } = after.ids.lost ?? {};
  expect(from).toBeWithin(7, 25);
  expect(to).toBe(25);
  const pets = new SqlitePets(after).list({ limit: 100, after: 0n });
  expect(pets).toHaveLength(from - 1);
  const [next = 0] = await add(after, 1);
  expect(next).toBeGreaterThan(25);
  expect(await add(after, 2)).toEqual([next + 1, next + 2]);
});

test("a log that is lost as a whole is found, too", async () => {
  await addTo(file, 5);
  await add(opened(file), 20);
  const copy = kept(crashed(file));
  rmSync(`${copy.path}-wal`);
  expect(opened(copy).ids.lost).toEqual({ from: 6, to: 25 });
});

test("a loss is found until it is accepted, however often the database is opened and changed", async () => {
  await add(opened(file), 20);
  const copy = kept(crashed(file));
  damage(`${copy.path}-wal`, 0.9);
  for (let i = 0; i < 3; i++) {
    const database = new Database(copy);
    await database.write(() => database.prepare("DELETE FROM key_uses").run());
    expect(database.ids.lost?.to).toBe(20);
    database.close();
  }
  const { lost } = checkDatabase(copy);
  const [next = 0] = await addTo(copy, 1);
  expect(await addTo(copy, 2)).toEqual([next + 1, next + 2]);
  expect(opened(copy).ids.lost).toEqual(lost);
  expect(checkDatabase(copy)).toEqual({ problems: [], lost });

  acceptLoss(copy);
  expect(checkDatabase(copy).lost).toBeUndefined();
  expect(opened(copy).ids.lost).toBeUndefined();
});

test("a loss that is accepted before a pet is added gives none of its ids again", async () => {
  await addTo(file, 5);
  await add(opened(file), 20);
  const copy = kept(crashed(file));
  rmSync(`${copy.path}-wal`);
  acceptLoss(copy);
  const database = opened(copy);
  expect(database.ids.lost).toBeUndefined();
  const [next = 0] = await add(database, 1);
  expect(next).toBeGreaterThan(25);
});

test("a loss is accepted while a service adds pets, and what it adds is not lost", async () => {
  await addTo(file, 5);
  backupDatabase(file, `${file.path}.backup`, false);
  await addTo(file, 5);
  renameSync(`${file.path}.backup`, file.path);
  const service = opened(file);
  const [first = 0] = await add(service, 1);
  acceptLoss(file);
  expect(await add(service, 2)).toEqual([first + 1, first + 2]);
  expect(checkDatabase(file).lost).toBeUndefined();
});

test("a second loss before the first is accepted extends it, and a restore ends both", async () => {
  states("docs/upgrading.md", "A second loss extends the range.");
  await addTo(file, 5);
  backupDatabase(file, `${file.path}.backup`, false);
  await addTo(file, 5);
  copyFileSync(`${file.path}.backup`, file.path);
  const [first = 0] = await addTo(file, 1);
  backupDatabase(file, `${file.path}.later`, false);
  await addTo(file, 3);
  copyFileSync(`${file.path}.later`, file.path);
  expect(checkDatabase(file).lost).toEqual({ from: 6, to: first + 3 });
  await restoreDatabase(`${file.path}.backup`, file, `${file.path}.before`);
  expect(checkDatabase(file).lost).toBeUndefined();
});

test("after a loss of power ids begin above all that may have been given", async () => {
  states(
    "docs/upgrading.md",
    "After a loss of power the highest id in the file may be a few seconds old, and pets that the disk lost in spite of a sync may not be noticed.",
    "Only on Linux can the service distinguish a loss of power from the end of a process.",
  );
  states("docs/upgrading.md", "The next id is above the block then too: up to 10,000 ids are skipped.");
  await addTo(file, 5);
  // The disk reported syncs too early: the last pets are gone, and so is what the mark said about them.
  writeFileSync(`${file.path}.ids`, `0000000000000005 ${"another".padEnd(36)} 0000000000010001\n`);
  const database = opened(file);
  expect(database.ids.lost).toBeUndefined();
  expect(await add(database, 2)).toEqual([10_002, 10_003]);
});

test("a reservation covers each id before its commit is acknowledged", async () => {
  states(
    "docs/upgrading.md",
    "It contains the highest id of an acknowledged pet, written with each commit but not synced, and above it the end of a block of up to 10,000 reserved ids, which is synced before it is used.",
  );
  states(
    "docs/development/stores.md",
    "A mark beside the SQLite file has the highest id, written with each commit without a sync, and the end of a synced block of reserved ids.",
  );
  states("docs/upgrading.md", "and above it the end of a block of up to 10,000 reserved ids");
  const reserved = () => Number(readFileSync(`${file.path}.ids`, "latin1").slice(-17));
  const database = opened(file);
  const pets = new SqlitePets(database);
  for (const many of [1, 9_000, 3_000, 12_000]) {
    await database.write(() => {
      for (let i = 0; i < many; i++) pets.insert(REX, { now: Date.now() });
    });
    const [{ id = 0 } = {}] = pets.page({ limit: 1, after: 2n ** 53n - 1n, order: "desc" });
    expect(reserved()).toBeGreaterThanOrEqual(id);
  }
});

test("a database that is copied without its mark starts", async () => {
  states(
    "docs/upgrading.md",
    "A database without the file, such as a copy on another machine, starts with the ids that it contains.",
  );
  await addTo(file, 5);
  rmSync(`${file.path}.ids`);
  const database = opened(file);
  expect(database.ids.lost).toBeUndefined();
  expect(await add(database, 1)).toEqual([6]);
});

test("a mark that is damaged keeps nothing from working, and is written again", async () => {
  states("docs/upgrading.md", "until a pet is added, which writes it anew");
  await addTo(file, 5);
  damage(`${file.path}.ids`, 0, 20);
  expect(await addTo(file, 1)).toEqual([6]);
  expect(readFileSync(`${file.path}.ids`, "latin1")).toMatch(/^0000000000000006 \S+ +0000000000000006\n$/);
});

test.each([
  ["garbage", "garbage\n"],
  ["empty", ""],
  ["another file", "x".repeat(10_000)],
  ["cut off", "0000000000000005 another"],
])(
  "a mark that is %s is found by the check and at the start of a service, until it is accepted",
  async (_, content) => {
    states("docs/upgrading.md", "or you accept it with `--accept-loss`.");
    await addTo(file, 5);
    backupDatabase(file, `${file.path}.backup`, false);
    await addTo(file, 5);
    renameSync(`${file.path}.backup`, file.path);
    const mark = `${file.path}.ids`;
    writeFileSync(mark, content);
    expect(checkDatabase(file)).toEqual({ problems: [], lost: undefined, damagedMark: mark });
    const lock = lockForServing(file);
    lock[Symbol.dispose]();
    expect(lock.damagedMark).toBe(mark);
    acceptLoss(file);
    expect(checkDatabase(file)).toEqual({ problems: [], lost: undefined, damagedMark: undefined });
    expect(await addTo(file, 1)).toEqual([6]);
  },
);

test("every process of a service notices that the mark is deleted, and none makes another", async () => {
  await addTo(file, 1);
  rmSync(`${file.path}.ids`);
  using lock = lockForServing(file);
  expect(lock.damagedMark).toBeUndefined();
  const worker = { ...file, lock: lock.identity };
  const workers = [opened(worker), opened(worker), opened(worker)] as const;
  expect(await add(workers[0], 2)).toEqual([2, 3]);
  rmSync(`${file.path}.ids`);
  for (const each of workers) {
    expect(await add(each, 1).catch((error) => error.code)).toBe("service_unavailable");
    expect(() => each.check()).toThrow();
  }
  for (const each of [worker, file]) expect(() => new Database(each)).toThrow("petstore.db.ids was deleted or moved");
  expect(existsSync(`${file.path}.ids`)).toBe(false);
});

test("a database whose sequence of ids is damaged is opened, and what is intact is read", async () => {
  await addTo(file, 5);
  const PAGE = 4_096;
  const intact = new Database(file);
  const { rootpage } = intact.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_sequence'").get() ?? {};
  intact.close();
  const start = (Number(rootpage) - 1) * PAGE;
  writeFileSync(file.path, readFileSync(file.path).fill(0xa5, start, start + PAGE));
  const database = opened(file);
  expect(database.ids.lost).toBeUndefined();
  expect(new SqlitePets(database).list({ limit: 9, after: 0n })).toHaveLength(5);
});

test("ids of pets that a restore removed are not given again, and not reported as lost", async () => {
  states("docs/backups.md", "The ids of pets that a restore removes are not given again");
  await addTo(file, 5);
  const backup = `${file.path}.backup`;
  backupDatabase(file, backup, false);
  await addTo(file, 5);
  await restoreDatabase(backup, file, `${file.path}.before`);
  const database = opened(file);
  expect(database.ids.lost).toBeUndefined();
  expect(await add(database, 2)).toEqual([11, 12]);
});

test("an empty database in place of a lost one goes on with its ids", async () => {
  await addTo(file, 5);
  rmSync(file.path);
  expect(() => new Database(file)).toThrow(`${file.path}.ids shows that there was one`);
  writeFileSync(file.path, "");
  expect(() => new Database(file)).toThrow(`${file.path}.ids shows that there was one`);
  const database = opened({ ...file, create: true });
  expect(database.ids.lost).toBeUndefined();
  expect(await add(database, 1)).toEqual([6]);
});

test("an older copy of the database in its place is reported", async () => {
  await addTo(file, 5);
  backupDatabase(file, `${file.path}.backup`, false);
  await addTo(file, 5);
  renameSync(`${file.path}.backup`, file.path);
  const database = opened(file);
  expect(database.ids.lost).toEqual({ from: 6, to: 10 });
  expect(await add(database, 1)).toEqual([11]);
});

test("a pet that was not acknowledged, because the file was replaced, is not missed later", async () => {
  const database = new Database(file);
  await add(database, 3);
  backupDatabase(file, `${file.path}.copy`, false);
  renameSync(`${file.path}.copy`, file.path);
  const added = await add(database, 1).catch((error) => error.code);
  expect(added).toBe("service_unavailable");
  expect(readFileSync(`${file.path}.ids`, "latin1")).toMatch(/^0000000000000003 /);
  database.close();
  expect(readFileSync(`${file.path}.ids`, "latin1")).toMatch(/^0000000000000003 /);
  expect(opened(file).ids.lost).toBeUndefined();
});

test("two processes share the mark, also by a link", async () => {
  states("docs/upgrading.md", "It contains the highest id of an acknowledged pet, written with each commit");
  const one = opened(file);
  await add(one, 1);
  symlinkSync(file.path, `${file.path}.link`);
  const other = new Database({ ...file, path: `${file.path}.link` });
  await Promise.all([add(one, 50), add(other, 50)]);
  other.close();
  expect(existsSync(`${file.path}.link.ids`)).toBe(false);
  const [last] = await add(one, 1);
  expect(last).toBe(102);
  expect(readFileSync(`${file.path}.ids`, "latin1")).toMatch(/^0000000000000102 /);
});

/** The ids of the events above a position. */
async function eventsAfter(database: Database, position: number): Promise<number[]> {
  database.refresh();
  const events = await new SqlEvents(database).list({ after: BigInt(position), limit: 100 });
  return events.map(({ id }) => id);
}

/** What the feed of a database must do that lacks the events from `last + 1` to `seen`, which clients have read. */
async function expectGap(database: Database, { last, seen }: { last: number; seen: number }): Promise<void> {
  const from = Date.now() * 1_000;
  await add(database, 2);
  const [first = 0, ...others] = await eventsAfter(database, last);
  expect(first).toBeWithin(from - 600_000_000, Date.now() * 1_000 + 2);
  expect(others).toEqual([first + 1]);
  for (const position of [last + 1, seen, 1_000_000]) {
    await expect(eventsAfter(database, position)).rejects.toMatchObject({ code: "position_expired" });
  }
  expect(await eventsAfter(database, first)).toEqual([first + 1]);
  expect(await eventsAfter(database, first + 1)).toEqual([]);
  expect((await eventsAfter(database, 0)).slice(-2)).toEqual([first, first + 1]);
}

test("after a restore the feed goes on above all that was taken back, and refuses positions there at once", async () => {
  states(
    "CHANGELOG.md",
    "After a restore their ids go on above all that were given, and who has read what it took back copies again.",
  );
  states("docs/errors.md", "or the event was taken back by the restore of a backup.");
  states(
    "docs/events.md",
    "So is one whose event was taken back, by the restore of a backup: the ids that follow are far greater.",
  );
  states(
    "docs/backups.md",
    "The ids of events go on far above all that were given, at the time in microseconds: who has read events that the restore removed gets 410 `position_expired`",
  );
  await addTo(file, 2);
  backupDatabase(file, `${file.path}.backup`, false);
  await addTo(file, 3);
  await restoreDatabase(`${file.path}.backup`, file, `${file.path}.before`);
  const database = opened(file);
  expect(await eventsAfter(database, 3)).toEqual([]);
  await expect(eventsAfter(database, 6)).rejects.toMatchObject({ code: "position_expired" });
  await expectGap(database, { last: 3, seen: 6 });
  for (const closing of open.splice(0)) closing.close();
  await restoreDatabase(`${file.path}.backup`, file, `${file.path}.again`);
  await expectGap(opened(file), { last: 3, seen: Date.now() * 1_000 - 600_000_000 });
});

test("a log that is lost, and an empty database in place of a lost one, have such a gap in the feed, too", async () => {
  await addTo(file, 5);
  await add(opened(file), 20);
  for (const isAccepted of [false, true]) {
    const copy = kept(crashed(file));
    rmSync(`${copy.path}-wal`);
    if (isAccepted) acceptLoss(copy);
    await expectGap(opened(copy), { last: 6, seen: 26 });
  }
  const copy = kept(crashed(file));
  for (const ending of ["", "-wal"]) rmSync(copy.path + ending);
  await expectGap(opened({ ...copy, create: true }), { last: 1, seen: 26 });
});

test("a new database, one that was closed, and one after a crash or a loss of power have no gap in the feed", async () => {
  await addTo(file, 2);
  inAnotherBoot(file);
  await add(opened(file), 2);
  for (const restart of [() => {}, inAnotherBoot]) {
    const copy = kept(crashed(file));
    restart(copy);
    await addTo(copy, 1);
    expect(await eventsAfter(opened(copy), 0)).toEqual([2, 3, 4, 5, 6]);
  }
});
