import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { backupDatabase, checkBackup } from "../../../src/adapters/sqlite/backup.ts";
import { acceptLoss, checkDatabase } from "../../../src/adapters/sqlite/check.ts";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { migrateDatabase, schemaOf } from "../../../src/adapters/sqlite/migrate-file.ts";
import { SqlitePets } from "../../../src/adapters/sqlite/pets.ts";
import { restoreDatabase } from "../../../src/adapters/sqlite/restore.ts";
import { lockForServing } from "../../../src/adapters/sqlite/serving-lock.ts";
import { eventually } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { MAIN } from "../../support/runtime.ts";
import { databasePathOf } from "../../support/store.ts";
import { temporaryDirectory } from "../../support/temporary.ts";
import { useKey, useService } from "../../support/use-service.ts";
import { damage } from "./crashed.ts";

const hasStrace = spawnSync("strace", ["true"]).status === 0;
if (!hasStrace) console.log("skipped: strace cannot trace a process on this machine");

/** A closed database with `count` pets, in a directory of its own. */
async function newDatabase(count = 1) {
  const directory = temporaryDirectory();
  const file = { path: databasePathOf(directory), deployment: "production" as const };
  const database = new Database(file);
  const pets = new SqlitePets(database);
  await Promise.all(
    Array.from({ length: count }, () => pets.create({ name: "Rex".repeat(80), categoryId: 1n }, { now: Date.now() })),
  );
  database.close();
  return { directory, file };
}

/** The files below a directory that this process has open. */
function openIn(directory: string): string[] {
  return readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`);
      return path.startsWith(directory) ? [path] : [];
    } catch {
      return []; // the one that read the directory
    }
  });
}

test.skipIf(!hasStrace)(
  "a backup is on disk before it gets its name, and its name is on disk before it succeeds",
  async () => {
    states("docs/backups.md", "The copy gets its name when it is complete, on disk");
    const { directory, file } = await newDatabase();
    const trace = join(directory, "trace");
    const calls = "--trace=fsync,fdatasync,pwrite64,rename,renameat,renameat2";
    const command = [process.execPath, MAIN, "database", "backup", join(directory, "copy.db")];
    const env = { PATH: process.env.PATH, DATABASE_URL: `sqlite:${file.path}` };
    const { status } = spawnSync("strace", ["-f", "-y", "-o", trace, calls, ...command], { env });
    expect(status).toBe(0);
    const steps = readFileSync(trace, "utf8").split("\n");
    const written = steps.findLastIndex((step) => /pwrite64\(\d+<[^>]*copy\.db\.unfinished-[-\w]+>/.test(step));
    const synced = steps.findLastIndex((step) => /f(data)?sync\(\d+<[^>]*copy\.db\.unfinished-[-\w]+>/.test(step));
    const renamed = steps.findIndex((step) => /rename.*copy\.db\.unfinished-.*copy\.db"/.test(step));
    const listed = steps.findLastIndex((step) => step.includes("sync(") && step.includes(`<${directory}>`));
    expect(written).toBeGreaterThan(0);
    expect(synced).toBeGreaterThan(written);
    expect(renamed).toBeGreaterThan(synced);
    expect(listed).toBeGreaterThan(renamed);
  },
);

describe("beside a database in use", () => {
  const service = useService({ store: "sqlite" });
  const { client } = useKey(service);

  test("no file that the service keeps there is replaced by a backup", async () => {
    states(
      "docs/data.md",
      "The database is one SQLite file, with two more beside it while it is open: `petstore.db-wal` and `petstore.db-shm`.",
    );
    await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
    const path = databasePathOf(service.store.directory);
    const files = () => readdirSync(service.store.directory).map((name) => join(service.store.directory, name));
    const beside = () => files().filter((file) => file.startsWith(path) && file !== path);
    const kept = ["-shm", "-wal", ".ids", ".lock", ".requests", ".reserve"].map((ending) => path + ending);
    await eventually(() => kept.every((file) => beside().includes(file)));
    expect(beside().toSorted()).toEqual(kept);
    for (const target of [...kept, `${path}-journal`]) {
      const failed = () => backupDatabase({ path, deployment: "production" }, target, true);
      expect(failed).toThrow(`${target} would belong to the database ${path}. Choose another file for the backup.`);
    }
  });
});

test("a backup is for its owner alone, also of a database that others may read", async () => {
  const { directory, file } = await newDatabase();
  chmodSync(file.path, 0o644);
  const target = join(directory, "copy.db");
  backupDatabase(file, target, false);
  expect((statSync(target).mode & 0o777).toString(8)).toBe("600");
  rmSync(directory, { recursive: true });
});

test("a database that is cut off says how much of it is left", async () => {
  const { directory, file } = await newDatabase();
  const { size } = statSync(file.path);
  truncateSync(file.path, size - 4_096);
  const text = [size - 4_096, size].map((bytes) => bytes.toLocaleString("en")).join(" of ");
  const failed = () => backupDatabase(file, join(directory, "copy.db"), false);
  expect(failed).toThrow(`It is cut off: ${text} bytes are left.`);
});

test.each(["", "-wal"])(
  "a disk without room for the database, with its log, gets no copy: petstore.db%s",
  async (ending) => {
    states("docs/backups.md", "The command refuses a disk without room for the copy before it begins.");
    const { directory, file } = await newDatabase();
    const { bavail, bsize } = statfsSync(directory);
    // Without content, and without space on the disk.
    writeFileSync(file.path + ending, "", { flag: "a" });
    truncateSync(file.path + ending, 2 * bavail * bsize);
    const failed = () => backupDatabase(file, join(directory, "copy.db"), false);
    const bytes = ["", "-wal"].map((name) => statSync(file.path + name, { throwIfNoEntry: false })?.size ?? 0);
    // 32 MiB stay free, for the service that may use the same disk.
    const needed = bytes.reduce((sum, each) => sum + each) + 32 * 1024 * 1024;
    const text = Math.ceil(needed / 1e6).toLocaleString("en");
    expect(failed).toThrow(`copy.db cannot be written: it may need ${text} MB, and `);
    expect(failed).toThrow(/and [\d,]+ MB are free/);
    expect(readdirSync(directory).filter((name) => name.startsWith("copy"))).toEqual([]);
    rmSync(directory, { recursive: true });
  },
);

test.each<[string, number, (path: string) => void]>([
  ["at its beginning", 1, (path) => truncateSync(path, statSync(path).size - 4_096)],
  ["halfway", 2_000, (path) => damage(path, 0.5, 8_192)],
])("a backup that fails %s leaves the file of an earlier one as it was, and nothing else", async (_, count, harm) => {
  const { directory, file } = await newDatabase(count);
  const target = join(directory, "copy.db");
  writeFileSync(target, "an earlier backup");
  harm(file.path);
  expect(() => backupDatabase(file, target, true)).toThrow(/copy.db|petstore.db/);
  expect(readFileSync(target, "utf8")).toBe("an earlier backup");
  expect(readdirSync(directory).filter((name) => name.includes("unfinished"))).toEqual([]);
});

test.each([
  ["intact", () => {}],
  ["damaged", (path: string) => damage(path, 0.5, 8_192)],
  ["no database", (path: string) => writeFileSync(path, "This is no database. ".repeat(1_000))],
])("each reader of a file that is %s leaves none open", async (_, harm) => {
  const { directory, file } = await newDatabase(2_000);
  harm(file.path);
  const target = { ...file, path: join(directory, "target.db"), create: true };
  const readers: (() => unknown)[] = [
    () => checkBackup(file),
    () => checkDatabase(file),
    () => backupDatabase(file, join(directory, "copy.db"), false),
    () => restoreDatabase(file.path, target, `${target.path}.before`),
    () => schemaOf(file),
    () => migrateDatabase(file),
    () => acceptLoss(file),
    () => lockForServing(file)[Symbol.dispose](),
  ];
  for (const reader of readers) {
    await Promise.allSettled([Promise.try(reader)]);
    expect([String(reader), openIn(directory)]).toEqual([String(reader), []]);
  }
  rmSync(directory, { recursive: true });
});
