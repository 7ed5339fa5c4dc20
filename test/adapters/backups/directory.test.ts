import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statfsSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { BackupDirectory } from "../../../src/adapters/backups/directory.ts";
import { type Backup, backupName, descriptionName } from "../../../src/domain/backups.ts";
import { states } from "../../support/markdown.ts";
import { temporaryDirectory } from "../../support/temporary.ts";

const NOW = Date.UTC(2026, 11, 2);
const NAME = backupName("production", NOW);

let path: string;
let directory: BackupDirectory;
beforeEach(() => {
  path = temporaryDirectory();
  directory = new BackupDirectory(path, "production");
});
afterEach(() => rmSync(path, { recursive: true }));

function describing(name: string): Backup {
  return {
    ...{ name, database: "sqlite:/a", cause: "schedule", bytes: 3, sha256: "0".repeat(64), schema: 1 },
    ...{ pets: 1, orders: 2, keys: 3, verifiedAt: NOW, problem: null },
  };
}

test("it lists the deployment's backups, newest first, and nothing else", async () => {
  const older = backupName("production", NOW - 1);
  for (const name of [older, NAME, backupName("staging", NOW), "notes.txt", `${NAME}.unfinished-1`]) {
    writeFileSync(join(path, name), "abc");
  }
  mkdirSync(join(path, backupName("production", NOW + 1)));
  symlinkSync("/etc/passwd", join(path, backupName("production", NOW + 2)));
  await directory.describe(describing(NAME));
  expect(await directory.list()).toEqual([
    { name: NAME, at: NOW, bytes: 3, description: describing(NAME) },
    { name: older, at: NOW - 1, bytes: 3, description: undefined },
  ]);
});

test("it opens backups alone: no other file, and none outside of it", async () => {
  writeFileSync(join(path, NAME), "abc");
  writeFileSync(join(path, "notes.txt"), "secret");
  symlinkSync("/etc/passwd", join(path, backupName("production", NOW + 2)));
  const contents = await directory.open(NAME);
  expect(contents?.bytes).toBe(3);
  expect(Buffer.concat(await Array.fromAsync(contents?.chunks ?? [])).toString()).toBe("abc");
  for (const name of ["notes.txt", `../${path.split("/").at(-1)}/${NAME}`, backupName("production", NOW + 2), ""]) {
    expect(await directory.open(name)).toBeUndefined();
  }
});

test("a directory that is missing has no backups, and is made, but not one above it", async () => {
  states("docs/settings.md", "It is created if the directory above it exists.");
  const missing = new BackupDirectory(join(path, "backups"), "production");
  expect(await missing.list()).toEqual([]);
  await missing.create();
  await missing.create();
  expect(existsSync(missing.path)).toBe(true);
  const above = new BackupDirectory(join(path, "disk", "backups"), "production");
  expect(above.create()).rejects.toThrow(`The directory ${above.path} cannot be made: ENOENT`);
});

test("a download for which the disk has no room is refused", async () => {
  await directory.requireRoom(1);
  expect(directory.requireRoom(2 ** 60)).rejects.toThrow("has no room");
});

test("a download leaves room on the disk for the service", async () => {
  // In memory, where nobody else gives room back between the two looks at it.
  const alone = existsSync("/dev/shm") ? "/dev/shm" : path;
  const { bavail, bsize } = statfsSync(alone);
  const asked = new BackupDirectory(alone, "production").requireRoom(bavail * bsize - 16 * 1024 * 1024);
  await expect(asked).rejects.toThrow("has no room");
});

test("a description that cannot be written leaves nothing", async () => {
  const name = descriptionName(NAME);
  mkdirSync(join(path, name));
  await expect(directory.describe(describing(NAME))).rejects.toThrow(`${join(path, name)} cannot be written: `);
  expect(readdirSync(path)).toEqual([name]);
});

test("what is left of one backup is removed, and nothing else", async () => {
  const left = [`${NAME}.unfinished-1`, `${NAME}.unfinished-1-journal`, `${NAME}.json.unfinished-1`];
  const others = [NAME, `${NAME}.json`, `${backupName("production", NOW + 1)}.unfinished-1`];
  for (const name of [...left, ...others]) writeFileSync(join(path, name), "");
  await directory.removeUnfinished(NAME);
  expect(readdirSync(path).sort()).toEqual(others.sort());
});

test("what a killed process left is removed after an hour, and nothing else", async () => {
  const left = [`${NAME}.unfinished-1`, `${NAME}.json.unfinished-1`];
  const others = [NAME, "mine.unfinished-1", `${backupName("staging", NOW)}.unfinished-1`, `${NAME}.unfinished-new`];
  for (const name of [...left, ...others]) writeFileSync(join(path, name), "");
  const minutesAgo = (minutes: number) => (NOW - minutes * 60_000) / 1000;
  for (const name of [...left, ...others.slice(0, 3)]) utimesSync(join(path, name), minutesAgo(61), minutesAgo(61));
  utimesSync(join(path, `${NAME}.unfinished-new`), minutesAgo(59), minutesAgo(59));
  await directory.removeAbandoned(NOW);
  expect(readdirSync(path).sort()).toEqual(others.sort());
});
