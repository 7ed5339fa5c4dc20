import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { diskOf } from "../../src/adapters/backups/directory.ts";
import { Database } from "../../src/adapters/sqlite/database.ts";
import { SqlitePets } from "../../src/adapters/sqlite/pets.ts";
import { damage } from "../adapters/sqlite/crashed.ts";
import { type SmallDisk, smallDisk } from "../durability/small-disk.ts";
import { states } from "../support/markdown.ts";
import { startService } from "../support/service.ts";
import { databasePathOf } from "../support/store.ts";
import { Workplace } from "./petstore.ts";

/** Time for the commands that a test starts, on a busy machine, in ms. */
setDefaultTimeout(60_000);

const noSmallDisk = (() => {
  const disk = smallDisk();
  if ("reason" in disk) return disk.reason;
  using _ = disk;
  return disk.isFileSystem ? undefined : "filling a disk needs the right to mount a small one";
})();
if (noSmallDisk !== undefined) console.log(`skipped, a restore on a full disk: ${noSmallDisk}`);

let petstore: Workplace;
beforeEach(async () => {
  petstore = new Workplace();
  await add("Rex");
  await petstore.json("database", "backup", "copy.db");
});
afterEach(() => petstore.remove());

const path = (ending = "") => databasePathOf(petstore.directory) + ending;
const restore = (...args: string[]) => petstore.json("database", "restore", "copy.db", ...args);
const kept = () => readdirSync(petstore.directory).filter((name) => name.includes("before-restore"));

async function add(...names: string[]): Promise<void> {
  const database = new Database({ path: path(), deployment: "production" });
  for (const name of names) await new SqlitePets(database).create({ name, categoryId: 1n }, { now: Date.now() });
  database.close();
}

/** Leaves the files of a process that was killed after it added pets. */
async function crashAfterAdding(...names: string[]): Promise<void> {
  const database = new Database({ path: path(), deployment: "production" });
  for (const name of names) await new SqlitePets(database).create({ name, categoryId: 1n }, { now: Date.now() });
  const files = ["", "-wal", ".ids"].map((ending) => ({ ending, bytes: readFileSync(path(ending)) }));
  database.close();
  for (const { ending, bytes } of files) writeFileSync(path(ending), bytes);
  writeFileSync(path(".lock"), "");
}

/** The names of the pets in a database file. */
function namesIn(file: string): unknown[] {
  using database = new DatabaseSync(file, { readOnly: true });
  return database
    .prepare("SELECT name FROM pets ORDER BY id")
    .all()
    .map(({ name }) => name);
}

describe("restore puts a backup in the place of", () => {
  test("a database that was closed, and keeps it as one file", async () => {
    states("docs/backups.md", "The previous database is kept beside the new one,");
    await add("Bo");
    const restored = await restore();
    expect(namesIn(path())).toEqual(["Rex"]);
    expect(kept()).toEqual([basename(restored.kept)]);
    expect(namesIn(restored.kept)).toEqual(["Rex", "Bo"]);
  });

  test("a database whose process was killed, and keeps it with its log", async () => {
    states("docs/backups.md", "with its log if it was not closed,");
    await crashAfterAdding("Bo");
    const { stdout } = await petstore.run(["database", "restore", "copy.db"]);
    expect(namesIn(path())).toEqual(["Rex"]);
    const [database = "", log] = kept()
      .sort()
      .map((name) => petstore.path(name));
    expect(database).toStartWith(`${path()}.before-restore-`);
    expect(log).toBe(`${database}-wal`);
    expect(stdout).toBe(
      `Restored ${path()} from copy.db: 1 pet, 0 orders and 0 keys.\nThe previous database is kept as ${database} and ${log}.\n`,
    );
    expect(namesIn(database)).toEqual(["Rex", "Bo"]);
  });

  test("a database that is missing, and keeps its log", async () => {
    states("docs/backups.md", "or only its log is left.");
    await crashAfterAdding("Bo");
    const log = readFileSync(path("-wal"));
    rmSync(path());
    const restored = await restore();
    expect(namesIn(path())).toEqual(["Rex"]);
    expect(restored.kept).toEndWith("-wal");
    expect(readFileSync(restored.kept).equals(log)).toBe(true);
    expect(existsSync(path("-wal"))).toBe(false);
  });

  test("a database that is missing beside a journal", async () => {
    rmSync(path());
    writeFileSync(path("-journal"), "what is left");
    const restored = await restore();
    expect(namesIn(path())).toEqual(["Rex"]);
    expect(readFileSync(restored.kept, "utf8")).toBe("what is left");
    expect(existsSync(path("-journal"))).toBe(false);
  });

  test("a database that is missing after a clean stop", async () => {
    rmSync(path());
    expect(await restore()).toMatchObject({ kept: null });
    expect(namesIn(path())).toEqual(["Rex"]);
  });

  const damages: Record<string, () => void> = {
    "that is overwritten": () => writeFileSync(path(), "This is no database at all. ".repeat(200)),
    "that is cut off": () => truncateSync(path(), 8_192),
    "with damaged pages": () => damage(path(), 0, 8_192),
    "that is replaced beside the log of another": () => copyFileSync(petstore.path("copy.db"), path()),
  };
  test.each(Object.entries(damages))("a database %s, and keeps its files as they are", async (_, harm) => {
    states("docs/data.md", "A file that exists keeps its mode");
    states("docs/backups.md", "also when it is damaged");
    await crashAfterAdding("Bo");
    harm();
    chmodSync(path(), 0o640);
    const { ino } = statSync(path());
    const [file, log] = [readFileSync(path()), readFileSync(path("-wal"))];
    const restored = await restore();
    expect(namesIn(path())).toEqual(["Rex"]);
    expect(readFileSync(restored.kept).equals(file)).toBe(true);
    expect(readFileSync(`${restored.kept}-wal`).equals(log)).toBe(true);
    expect(statSync(path())).toMatchObject({ ino, mode: 0o100640 });
    for (const ending of ["", "-wal"]) expect(statSync(restored.kept + ending).mode).toBe(0o100600);
    expect(await petstore.json("database", "check")).toMatchObject({ intact: true, lost: null });
  });

  test("nothing, with --create", async () => {
    states(
      "docs/backups.md",
      "Test a restore regularly, on another machine: `database restore --create`, then `database check` and a start.",
    );
    states("docs/backups.md", "or on another machine, it needs `--create`.");
    const elsewhere = { DATABASE_URL: `sqlite:${petstore.path("new/place.db")}` };
    const command = ["database", "restore", "copy.db", "--create", "--json"];
    const { json } = await petstore.run(command, { env: elsewhere });
    expect(json.kept).toBeNull();
    expect(namesIn(petstore.path("new/place.db"))).toEqual(["Rex"]);
  });
});

describe("restore refuses, and changes nothing,", () => {
  async function refusal(env: Record<string, string> = {}): Promise<string> {
    const { code, stdout, stderr } = await petstore.run(["database", "restore", "copy.db"], { env });
    expect([code, stdout]).toEqual([1, ""]);
    expect(kept()).toEqual([]);
    return stderr;
  }

  test("where there was no database: the path may be mistyped", async () => {
    states("docs/backups.md", "Where there was no database, as after a typing error in `DATABASE_URL`");
    const target = petstore.path("typo/petstore.db");
    expect(await refusal({ DATABASE_URL: `sqlite:${target}` })).toBe(
      `petstore: There is no database ${target} to replace. Set DATABASE_URL to the database, or restore to a new one with --create.\n`,
    );
    expect(existsSync(dirname(target))).toBe(false);
  });

  test("a file that never was a database", async () => {
    const target = petstore.path("notes.txt");
    writeFileSync(target, "These are notes. ".repeat(100));
    expect(await refusal({ DATABASE_URL: `sqlite:${target}` })).toBe(
      `petstore: ${target} cannot be read (file is not a database), and no file beside it shows that it was a Petstore database. Set DATABASE_URL to the database, or move that file away.\n`,
    );
    expect(readFileSync(target, "utf8")).toStartWith("These are notes.");
  });

  test.each([7, 0])("another program's database, with the application id %p", async (applicationId) => {
    const target = petstore.path("songs.db");
    const other = new DatabaseSync(target);
    other.exec(`PRAGMA application_id = ${applicationId}; CREATE TABLE songs (title)`);
    other.close();
    expect(await refusal({ DATABASE_URL: `sqlite:${target}` })).toContain("belongs to another program");
  });

  test("a directory", async () => {
    states(
      "docs/upgrading.md",
      "`… is a directory`",
      "`… is a directory` | `DATABASE_URL` names a directory. | Name a file in it.",
    );
    mkdirSync(petstore.path("place"));
    expect(await refusal({ DATABASE_URL: `sqlite:${petstore.path("place")}` })).toBe(
      `petstore: ${petstore.path("place")} is a directory. Set DATABASE_URL to a file in it, such as sqlite:${petstore.path("place/petstore.db")}.\n`,
    );
  });

  test("a database that another process has open", async () => {
    const other = new Database({ path: path(), deployment: "production" });
    expect(await refusal()).toBe(
      `petstore: ${path()} is in use. Stop the service, and close the file in other programs.\n`,
    );
    other.close();
  });

  test("a damaged or missing database that a service uses", async () => {
    states("docs/backups.md", "The command is refused while a service uses the database.");
    const service = await startService({ store: petstore.store });
    try {
      rmSync(path());
      expect(await refusal()).toBe(
        `petstore: ${path()} is in use. Stop the service, and close the file in other programs.\n`,
      );
      writeFileSync(path(), "This is no database at all. ".repeat(200));
      expect(await refusal()).toContain("is in use");
    } finally {
      await service.kill();
    }
    await restore();
    expect(namesIn(path())).toEqual(["Rex"]);
  });
});

test.skipIf(noSmallDisk !== undefined)(
  "restore refuses a disk without room for a copy of the database and its log, and leaves no part of it",
  async () => {
    using disk = smallDisk() as SmallDisk;
    const small = `${disk.directory}/petstore.db`;
    await crashAfterAdding(...Array.from({ length: 20 }, (_, i) => `Pet ${i}`));
    for (const ending of ["", "-wal", ".ids", ".lock"]) copyFileSync(path(ending), small + ending);
    const { free = 0 } = (await diskOf(disk.directory)) ?? {};
    // There is room for the database, and for half of its log.
    const [size, log] = ["", "-wal"].map((ending) => statSync(small + ending).size) as [number, number];
    writeFileSync(`${disk.directory}/others`, new Uint8Array(free - size - log / 2));
    const before = ["", "-wal", ".ids"].map((ending) => readFileSync(small + ending));
    const { code, stderr } = await petstore.run(["database", "restore", "copy.db"], {
      env: { DATABASE_URL: `sqlite:${small}` },
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^petstore: .*petstore\.db cannot be copied to .*before-restore-/);
    expect(readdirSync(disk.directory).filter((name) => name.includes("before-restore"))).toEqual([]);
    expect(["", "-wal", ".ids"].map((ending) => readFileSync(small + ending))).toEqual(before);
  },
);

test("restore refuses anything but an intact Petstore database of a known version, and changes nothing", async () => {
  const copy = readFileSync(petstore.path("copy.db"));
  const variant = (name: string, sql: string, bytes = copy) => {
    writeFileSync(petstore.path(name), bytes);
    if (sql === "") return;
    const database = new DatabaseSync(petstore.path(name));
    database.exec(sql);
    database.close();
  };
  const rootOf = (index: string) => {
    using database = new DatabaseSync(petstore.path("copy.db"), { readOnly: true });
    const row = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(index);
    return Number(row?.rootpage);
  };
  variant("text.db", "", Buffer.from("This is no database at all. ".repeat(200)));
  variant("empty.db", "", Buffer.alloc(0));
  variant("cut.db", "", copy.subarray(0, copy.length - 4096));
  variant("page.db", "");
  // No command reads it when it opens a database.
  damage(petstore.path("page.db"), ((rootOf("keys_by_age") - 1) * 4096) / copy.length, 4096);
  variant("foreign.db", "PRAGMA application_id = 7");
  variant("newer.db", "PRAGMA user_version = 99");
  variant("no-schema.db", "PRAGMA user_version = 0");
  variant("unreleased.db", "PRAGMA user_version = 25");
  const reasons = {
    "text.db": "file is not a database",
    "empty.db": "not a petstore's",
    "cut.db": `cut.db cannot be used: database disk image is malformed. It is cut off: ${(copy.length - 4096).toLocaleString("en")} of ${copy.length.toLocaleString("en")} bytes are left.`,
    "page.db": "is damaged: ",
    "foreign.db": "not a petstore's",
    "newer.db": "newer petstore",
    "no-schema.db": "not a petstore's",
    "unreleased.db": "from before the first release",
    "missing.db": "There is no file missing.db",
    ".": "is not a file",
    "petstore.db": "is the database itself",
  };
  for (const [file, reason] of Object.entries(reasons)) {
    const { code, stderr } = await petstore.run(["database", "restore", file]);
    expect({ file, code }).toEqual({ file, code: 1 });
    expect(stderr).toContain(reason);
  }
  expect(readdirSync(petstore.directory).filter((name) => name.includes("before-restore"))).toEqual([]);
  expect(namesIn(path())).toEqual(["Rex"]);
});

test("backup and restore refuse a database of the other deployment, and a backup of one", async () => {
  const refused = async (args: string[], env: Record<string, string>) => {
    const { code, stderr } = await petstore.run(args, { env });
    expect(code).toBe(1);
    expect(stderr).toContain("belongs to production, and this is staging");
  };
  const staging = { PETSTORE_DEPLOYMENT: "staging" };
  await refused(["database", "backup", "other.db"], staging);
  await refused(["database", "restore", "copy.db"], staging);
  await refused(["database", "restore", "copy.db"], { ...staging, DATABASE_URL: `sqlite:${petstore.path("new.db")}` });
  await petstore.run(["database", "migrate"], { env: { ...staging, DATABASE_URL: `sqlite:${petstore.path("s.db")}` } });
  const backup = ["database", "backup", "s-copy.db"];
  await petstore.run(backup, { env: { ...staging, DATABASE_URL: `sqlite:${petstore.path("s.db")}` } });
  const own = { ...staging, DATABASE_URL: `sqlite:${path()}` };
  await refused(["database", "restore", "s-copy.db"], own);
  expect(namesIn(path())).toEqual(["Rex"]);
});

test("add takes a backup under the name of its file or another one, and refuses damaged files and names of no backup", async () => {
  const { name } = await petstore.json("database", "backup");
  mkdirSync(petstore.path("downloads"));
  const file = petstore.path(`downloads/${name}`);
  renameSync(petstore.path(`backups/${name}`), file);
  rmSync(petstore.path("backups"), { recursive: true });
  const adding = (...args: string[]) => petstore.run(["database", "backups", "add", ...args]);
  const named = async () =>
    (await petstore.json("database", "backups", "list")).map((one: { name: string }) => one.name);

  const { size: bytes } = statSync(file);
  expect(await adding(file, "--json")).toMatchObject({ code: 0, json: { name, bytes } });
  const other = "petstore-production-2020-01-01T00-00-00.000Z.db";
  expect(await adding(file, "--name", other)).toMatchObject({
    code: 0,
    stdout: `${other} is intact, and in the list.\n`,
  });
  expect(await named()).toEqual([name, other]);
  for (const one of [name, other])
    expect(await petstore.json("database", "backups", "verify", one)).toMatchObject({ name: one, problem: null });

  expect((await adding(petstore.path("copy.db"))).code).toBe(1);
  // One that is there is not replaced.
  await petstore.json("database", "backup", "newer.db");
  const [before, listed] = [readFileSync(petstore.path(`backups/${other}`)), await named()];
  expect((await adding(petstore.path("newer.db"), "--name", other)).code).toBe(1);
  expect(readFileSync(petstore.path(`backups/${other}`)).equals(before)).toBe(true);
  expect(await named()).toEqual(listed);
  damage(file, 0.5, 2 * 4_096);
  expect((await adding(file, "--name", other.replace("2020", "2021"))).code).toBe(1);
  expect(await named()).toEqual([name, other]);
});
