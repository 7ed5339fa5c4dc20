import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pino } from "pino";
import { s3Client, s3Objects } from "../../src/adapters/s3/client.ts";
import { Database } from "../../src/adapters/sqlite/database.ts";
import { SqlitePets } from "../../src/adapters/sqlite/pets.ts";
import { type Backup, type BackupPlace, backupName, descriptionName } from "../../src/domain/backups.ts";
import { Backups } from "../../src/wiring/backups/backups.ts";
import {
  addBackup,
  type BackupTarget,
  makeBackup,
  openLocations,
  restoreBackup,
  verifyBackup,
  withDownload,
} from "../../src/wiring/backups/make-backup.ts";
import { states } from "../support/markdown.ts";
import { hasS3, S3Server } from "../support/s3-server.ts";
import { temporaryDirectory } from "../support/temporary.ts";

const NOW = Date.UTC(2026, 11, 2);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let path: string;
let target: BackupTarget;
beforeEach(async () => {
  path = temporaryDirectory();
  target = {
    backups: { directory: join(path, "backups"), every: HOUR, keep: 2, s3: undefined },
    database: { engine: "sqlite", path: join(path, "petstore.db") },
    deployment: "production",
  };
  await addPet();
});
afterEach(() => rmSync(path, { recursive: true }));

async function addPet(): Promise<void> {
  const database = new Database({ path: target.database.path, deployment: "production" });
  await new SqlitePets(database).create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
  database.close();
}

test("a backup of the schedule is made beside one that an operator asked for", async () => {
  await makeBackup(target, "operator", NOW);
  expect(await makeBackup(target, "schedule", NOW + MINUTE)).toMatchObject({ at: NOW + MINUTE, isNew: true });
  expect(await makeBackup(target, "schedule", NOW + 2 * MINUTE)).toMatchObject({ at: NOW + MINUTE, isNew: false });
});

test("a directory that cannot be made is the reason that a backup is not made, nor an upload taken", async () => {
  const { backup } = await makeBackup(target, "operator", NOW);
  const missing = join(path, "missing", "backups");
  const elsewhere = { ...target, backups: { ...target.backups, directory: missing } };
  const file = join(target.backups.directory, backup.name);
  const reason = `The directory ${missing} cannot be made: ENOENT`;
  await expect(makeBackup(elsewhere, "operator", NOW)).rejects.toThrow(reason);
  await expect(addBackup(elsewhere, { file, name: backup.name }, NOW)).rejects.toThrow(reason);
});

test("an upload has a description of its own, and stays: the schedule deletes only what it made", async () => {
  states("docs/backups.md", "or uploaded: delete them yourself.");
  const { backup } = await makeBackup(target, "schedule", NOW);
  const its = { name: backupName("production", NOW), database: `sqlite:${target.database.path}` };
  expect(backup).toMatchObject({ ...its, cause: "schedule", pets: 1, verifiedAt: NOW, problem: null });
  const { directory } = target.backups;
  const name = backupName("production", NOW - 5 * HOUR);
  const at = NOW + MINUTE;
  const added = await addBackup(target, { file: join(directory, backup.name), name }, at);
  expect(added).toEqual({ ...backup, name, cause: "operator", verifiedAt: at });
  expect(JSON.parse(readFileSync(join(directory, descriptionName(name)), "utf8"))).toEqual(added);
  for (let hour = 1; hour <= 3; hour++) await makeBackup(target, "schedule", NOW + hour * HOUR);
  const kept = [3, 2].map((hour) => backupName("production", NOW + hour * HOUR));
  expect(
    readdirSync(directory)
      .filter((file) => file.endsWith(".db"))
      .sort(),
  ).toEqual([name, ...kept].sort());
});

test("what killed processes left is removed after an hour, and nothing else", async () => {
  const leftAt = (name: string, at: number) => {
    const file = join(target.backups.directory, name);
    writeFileSync(file, "");
    utimesSync(file, at / 1000, at / 1000);
    return file;
  };
  mkdirSync(target.backups.directory);
  const now = NOW + 2 * HOUR;
  const name = `${backupName("production", NOW)}.unfinished-`;
  const old = leftAt(`${name}1`, now - HOUR - MINUTE);
  const others = [leftAt(`${name}2`, now - HOUR + MINUTE), leftAt("own.unfinished-1", NOW), leftAt("notes.txt", NOW)];
  await makeBackup(target, "schedule", now);
  expect(existsSync(old)).toBe(false);
  expect(others.filter(existsSync)).toEqual(others);
});

describe.each<BackupPlace>(hasS3 ? ["directory", "s3"] : ["directory"])("in the place %s", (place) => {
  let server: S3Server | undefined;
  let tests = 0;
  beforeAll(async () => {
    if (place === "s3") server = await S3Server.start();
  });
  afterAll(() => server?.stop());
  beforeEach(() => {
    tests += 1;
    if (server !== undefined) target.backups = { ...target.backups, s3: { ...server.bucket, prefix: `${tests}/` } };
  });

  const location = async () => {
    const found = (await openLocations(target.backups, target.deployment))[place];
    if (found === undefined) throw new Error("there is no such place");
    return found;
  };
  const names = async () => (await (await location()).list()).map(({ name }) => name);
  /** The names of all files, or objects. */
  const all = async () => {
    if (server === undefined) return readdirSync(target.backups.directory).sort();
    const objects = s3Objects(s3Client(server.bucket), `${tests}/`);
    return (await objects.list()).map(({ key }) => key).sort();
  };
  const removeDescription = async (name: string) => {
    const description = descriptionName(name);
    if (server === undefined) rmSync(join(target.backups.directory, description));
    else await s3Objects(s3Client(server.bucket), `${tests}/`).remove(description);
  };
  const scheduled = async (...hours: number[]) => {
    for (const hour of hours) await makeBackup(target, "schedule", NOW + hour * HOUR);
  };
  const nameAt = (hour: number) => backupName("production", NOW + hour * HOUR);

  test("the newest of the schedule are kept, and nothing of what is deleted", async () => {
    states(
      "docs/backups.md",
      "`PETSTORE_BACKUP_KEEP` | 7 | How many backups of the schedule are kept.",
      "the newest are kept.",
      "`PETSTORE_BACKUP_KEEP` holds for the bucket too.",
    );
    await scheduled(0, 1, 2, 3);
    expect(await names()).toEqual([nameAt(3), nameAt(2)]);
    expect(await all()).toEqual([2, 3].flatMap((hour) => [nameAt(hour), descriptionName(nameAt(hour))]));
  });

  test("one that an operator asks for is made, however new the last one of the schedule is", async () => {
    await makeBackup(target, "schedule", NOW);
    expect(await makeBackup(target, "schedule", NOW + 1)).toMatchObject({ at: NOW, isNew: false });
    expect(await makeBackup(target, "operator", NOW + 2)).toMatchObject({ at: NOW + 2, isNew: true });
    expect(await makeBackup(target, "operator", NOW + 3)).toMatchObject({ at: NOW + 3, isNew: true });
    expect(await makeBackup(target, "schedule", NOW + 4)).toMatchObject({ at: NOW, isNew: false });
    expect(await names()).toEqual([3, 2, 0].map((more) => backupName("production", NOW + more)));
  });

  test("those of an operator, of another database, and without a description stay", async () => {
    states(
      "docs/backups.md",
      "Give each service a prefix of its own: two whose databases have the same path would count and delete each other's backups.",
    );
    states(
      "docs/backups.md",
      "Of the schedule's own backups of the same database",
      "Files that are not described as such stay, as do the backups that an operator asked for",
    );
    await makeBackup(target, "operator", NOW - 3 * HOUR);
    const asked = nameAt(-3);
    await scheduled(-2);
    const { description } = (await (await location()).list()).find(({ name }) => name === nameAt(-2)) ?? {};
    await (await location()).describe({ ...(description as Backup), database: "sqlite:/other/petstore.db" });
    await scheduled(-1);
    const undescribed = nameAt(-1);
    await removeDescription(undescribed);
    await scheduled(0, 1, 2, 3);
    expect(await names()).toEqual([nameAt(3), nameAt(2), undescribed, nameAt(-2), asked]);
  });

  test("a check says what it found, and writes it down", async () => {
    states(
      "docs/backups.md",
      "Its description has the result of the last check, too.",
      "compares its SHA-256 with the one in its description",
      "With `--s3` it downloads the copy from the bucket first.",
    );
    await makeBackup(target, "operator", NOW);
    await addPet();
    await makeBackup(target, "operator", NOW + MINUTE);
    const [first, second] = [backupName("production", NOW), backupName("production", NOW + MINUTE)];
    if (place === "directory") {
      copyFileSync(join(target.backups.directory, second), join(target.backups.directory, first));
    } else {
      const written = (await (await location()).list()).find(({ name }) => name === first)?.description as Backup;
      const other = (await openLocations(target.backups, target.deployment)).s3;
      await other?.upload(join(target.backups.directory, second), written);
      // What is in the directory is not what is checked.
      rmSync(join(target.backups.directory, first));
    }
    const problemOf = async (name: string) => (await verifyBackup(target, { name, place }, NOW + HOUR)).problem;
    const wrong = "It is not the file that was written: its SHA-256 is another.";
    expect([await problemOf(first), await problemOf(second)]).toEqual([wrong, null]);
    const stored = await (await location()).list();
    expect(stored.map(({ description }) => [description?.problem, description?.verifiedAt])).toEqual([
      [null, NOW + HOUR],
      [wrong, NOW + HOUR],
    ]);
    const missing = verifyBackup(target, { name: nameAt(7), place }, NOW);
    await expect(missing).rejects.toThrow(
      `There is no backup ${nameAt(7)} in the ${place === "s3" ? "bucket" : "directory"}.`,
    );
  });

  test("a check of one that nobody described begins its description, and the schedule leaves it", async () => {
    await makeBackup(target, "operator", NOW);
    const name = backupName("production", NOW);
    await removeDescription(name);
    await verifyBackup(target, { name, place }, NOW + HOUR);
    const [stored] = await (await location()).list();
    expect(stored?.description).toMatchObject({ name, cause: "operator", pets: 1, orders: 0, problem: null });
    expect(stored?.description?.database).toBe(`sqlite:${target.database.path}`);
  });

  describe("a restore", () => {
    const restore = (name: string, isUnverified = false) =>
      restoreBackup(
        target,
        { file: place === "s3" ? name : join(target.backups.directory, name), place },
        { create: false, isUnverified, now: NOW },
      );
    /** What is stored in place of the backup, whose description stays. */
    const replaced = async (name: string, bytes: Uint8Array) => {
      const file = join(target.backups.directory, name);
      const description = (await (await location()).list()).find((backup) => backup.name === name)?.description;
      writeFileSync(file, bytes);
      if (place === "s3") {
        const { s3 } = await openLocations(target.backups, target.deployment);
        await s3?.upload(file, description as Backup);
        rmSync(file);
      }
    };
    const name = nameAt(0);
    beforeEach(async () => {
      await makeBackup(target, "operator", NOW);
      await addPet();
    });

    test("compares a backup with what was written", async () => {
      // It is kept under the time of the restore, by which the names sort.
      const kept = [`${target.database.path}.before-restore-20261202T000000000Z`];
      expect(await restore(name)).toMatchObject({ pets: 1, isVerified: true, kept });
    });

    test("says where there is none of this name", async () => {
      const file = join(target.backups.directory, nameAt(7));
      for (const isUnverified of [false, true]) {
        await expect(restore(nameAt(7), isUnverified)).rejects.toThrow(
          place === "s3" ? `There is no backup ${nameAt(7)} in the bucket.` : `There is no file ${file}.`,
        );
      }
    });

    test("refuses one with changed bytes that is an intact database", async () => {
      const bytes = readFileSync(join(target.backups.directory, name));
      const changed = bytes.toString("latin1").replaceAll("Rex", "Bob");
      await replaced(name, Buffer.from(changed, "latin1"));
      const before = readFileSync(target.database.path);
      for (const isUnverified of [false, true]) {
        await expect(restore(name, isUnverified)).rejects.toThrow(
          "is damaged: It is not the file that was written: its SHA-256 is another.",
        );
      }
      expect(readFileSync(target.database.path).equals(before)).toBe(true);
      expect((await verifyBackup(target, { name, place }, NOW)).problem).toContain("its SHA-256 is another");
    });

    test("refuses an intact one of another time in its place", async () => {
      await makeBackup(target, "operator", NOW + HOUR);
      await replaced(name, readFileSync(join(target.backups.directory, nameAt(1))));
      await expect(restore(name)).rejects.toThrow("its SHA-256 is another");
    });

    test("asks for --unverified where there is no description, or that of another one", async () => {
      states("CHANGELOG.md", "A backup without a description, such as a download, needs `--unverified`.");
      const other = { ...((await (await location()).list())[0]?.description as Backup), name: nameAt(1) };
      await removeDescription(name);
      const refusal = `${descriptionName(name)} is not in ${place === "s3" ? "the bucket" : "its directory"}, or describes another backup. Put it there, or restore without this check with --unverified.`;
      await expect(restore(name)).rejects.toThrow(refusal);
      await (await location()).describe(other);
      if (place === "directory") {
        const paths = [nameAt(1), name].map((one) => join(target.backups.directory, descriptionName(one)));
        renameSync(...(paths as [string, string]));
      }
      await expect(restore(name)).rejects.toThrow(refusal);
      expect(await restore(name, true)).toMatchObject({ pets: 1, isVerified: false });
    });

    if (place === "s3") return;
    test("refuses one with a log beside it, which SQLite would apply", async () => {
      const file = join(target.backups.directory, name);
      const twin = join(path, "twin.db");
      copyFileSync(file, twin);
      const writer = new DatabaseSync(twin);
      writer.exec("PRAGMA journal_mode = WAL; UPDATE inventory SET sold = 7");
      for (const [ending, refusal] of [
        ["-wal", "its SHA-256 is another"],
        ["-journal", "cannot be used"],
      ] as const) {
        copyFileSync(`${twin}-wal`, file + ending);
        await expect(restore(name)).rejects.toThrow(refusal);
        rmSync(file + ending);
      }
      writer.close();
      expect(await restore(name)).toMatchObject({ isVerified: true });
    });
  });

  if (place === "s3") {
    test("what could not be copied is copied by the next run, which makes no other", async () => {
      states("docs/settings.md", "that gets a copy of each backup");
      states(
        "docs/backups.md",
        "A backup that could not be copied stays in the directory,",
        "and is copied by the next attempt.",
      );
      await server?.stop();
      await expect(makeBackup(target, "schedule", NOW)).rejects.toThrow(
        /is written, but not copied to s3:\/\/backups\/\d+\/: .* cannot be reached/,
      );
      await server?.start();
      const again = await makeBackup(target, "schedule", NOW + MINUTE);
      expect(again).toMatchObject({ at: NOW, isNew: false, places: ["directory", "s3"] });
      expect(await names()).toEqual([backupName("production", NOW)]);
    });

    test("an upload is not copied there, and a copy there stays when the file in the directory is deleted", async () => {
      states("docs/backups.md", "The bucket gets no copy of it.", "A copy in the other one stays.");
      const { backup } = await makeBackup(target, "operator", NOW);
      await addBackup(target, { file: join(target.backups.directory, backup.name), name: nameAt(1) }, NOW);
      expect(await names()).toEqual([backup.name]);
      await using backups = new Backups(target.backups, {
        ...{ deployment: target.deployment, database: target.database.path, run: () => Promise.resolve() },
        ...{ clock: () => NOW, log: pino({ enabled: false }) },
      });
      await backups.remove("directory", backup.name, async () => {});
      const left = readdirSync(target.backups.directory);
      expect(left.toSorted()).toEqual([nameAt(1), descriptionName(nameAt(1))]);
      expect(await names()).toEqual([backup.name]);
    });

    test("what was copied in part, without its description, is copied again", async () => {
      const { s3: bucket } = target.backups;
      if (bucket === undefined) throw new Error("there is no bucket");
      await makeBackup(target, "schedule", NOW);
      const name = backupName("production", NOW);
      const objects = s3Objects(s3Client(bucket), `${tests}/`);
      await objects.put(name, new TextEncoder().encode("the beginning"));
      await objects.remove(descriptionName(name));
      expect(await makeBackup(target, "schedule", NOW + MINUTE)).toMatchObject({ at: NOW, isNew: false });
      const [copied] = (await (await location()).list()) ?? [];
      expect(copied).toMatchObject({ name, bytes: copied?.description?.bytes });
    });

    test("a download is for its owner alone, and is gone afterwards", async () => {
      await makeBackup(target, "operator", NOW);
      const locations = await openLocations(target.backups, target.deployment);
      const name = backupName("production", NOW);
      const original = readFileSync(join(target.backups.directory, name));
      const { file, mode, isSame } = await withDownload(locations, name, (downloaded) => ({
        file: downloaded,
        mode: statSync(downloaded).mode & 0o777,
        isSame: readFileSync(downloaded).equals(original),
      }));
      expect([mode, isSame, existsSync(file)]).toEqual([0o600, true, false]);
      const missing = withDownload(locations, nameAt(7), () => {});
      await expect(missing).rejects.toThrow(`There is no backup ${nameAt(7)} in the bucket.`);
    });
  }
});
