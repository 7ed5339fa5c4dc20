import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { sqliteBulk } from "../../src/adapters/sqlite/bulk.ts";
import { Database } from "../../src/adapters/sqlite/database.ts";
import { SqlitePets } from "../../src/adapters/sqlite/pets.ts";
import { ENTRY } from "../conformance/entry.ts";
import { states } from "../support/markdown.ts";
import { databasePathOf } from "../support/store.ts";
import { Workplace } from "./petstore.ts";

const PETS = 4_000;
const PAGE = 4_096;

/** A workplace whose database has pets, and a backup of it. */
async function newWorkplace() {
  const petstore = new Workplace();
  const path = databasePathOf(petstore.directory);
  const database = new Database({ path, deployment: "production" });
  const pets = Array.from({ length: PETS }, (_, i) => ({ name: `Pet ${i}`, categoryId: 1n }));
  await sqliteBulk(database, new SqlitePets(database)).add(pets, ENTRY);
  database.close();
  await petstore.json("database", "backup", "copy.db");
  return { petstore, path, copy: readFileSync(petstore.path("copy.db")) };
}

test("restore refuses a backup with a damaged page in the middle, and changes nothing", async () => {
  const { petstore, path, copy } = await newWorkplace();
  const before = readFileSync(path);
  const middle = Math.floor(copy.length / PAGE / 2) * PAGE;
  writeFileSync(petstore.path("damaged.db"), Buffer.from(copy).fill(0xa5, middle, middle + PAGE));
  const { code, stdout, stderr } = await petstore.run(["database", "restore", "damaged.db"]);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^petstore: damaged\.db (is damaged|cannot be used): /);
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(readdirSync(petstore.directory).filter((name) => name.includes("before-restore"))).toEqual([]);
  petstore.remove();
});

test("a backup of a damaged database names that one, and writes nothing", async () => {
  const { petstore, path } = await newWorkplace();
  const bytes = readFileSync(path);
  const middle = Math.floor(bytes.length / PAGE / 2) * PAGE;
  writeFileSync(path, bytes.fill(0xa5, middle, middle + PAGE));
  const { code, stderr } = await petstore.run(["database", "backup", "new.db"]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `petstore: ${path} cannot be used: database disk image is malformed. It is damaged. Restore a backup that is intact with ${petstore.shown("database restore")}.\n`,
  });
  expect(readdirSync(petstore.directory).filter((name) => name.startsWith("new.db"))).toEqual([]);
  petstore.remove();
});

test("verify exits with 1 for a damaged backup, and with 0 for one that is intact", async () => {
  states("docs/backups.md", "and looks for damage.", "It exits with 1 if anything is wrong.");
  const { petstore } = await newWorkplace();
  const { name } = await petstore.json("database", "backup");
  const verify = async () => {
    const { code, stdout } = await petstore.run(["database", "backups", "verify", name]);
    const { code: codeOfJson, json } = await petstore.run(["database", "backups", "verify", name, "--json"]);
    return { code, codeOfJson, isIntact: json.problem === null, said: stdout.split(":")[0]?.trim() };
  };
  expect(await verify()).toEqual({ code: 0, codeOfJson: 0, isIntact: true, said: `${name} is intact.` });
  const file = petstore.path(`backups/${name}`);
  const bytes = readFileSync(file);
  const middle = Math.floor(bytes.length / PAGE / 2) * PAGE;
  writeFileSync(file, bytes.fill(0xa5, middle, middle + PAGE));
  expect(await verify()).toEqual({ code: 1, codeOfJson: 1, isIntact: false, said: `${name} is damaged` });
  petstore.remove();
});

test("a backup to a file says what it has copied, as text and as JSON, and how many seconds that took", async () => {
  const { petstore, path } = await newWorkplace();
  const file = petstore.path("other.db");
  const { stdout } = await petstore.run(["database", "backup", file]);
  const [, from, to, size] = /^Backed up (\S+) to (\S+) \(([\d.,]+ MB), \d+\.\d s\)\.\n$/.exec(stdout) ?? [];
  expect([from, to]).toEqual([path, file]);
  const startedAt = performance.now();
  const made = await petstore.json("database", "backup", file, "--force");
  const elapsed = (performance.now() - startedAt) / 1000;
  expect(made).toEqual({ path, file, bytes: statSync(file).size, seconds: expect.any(Number) });
  expect(made.seconds).toBeWithin(0.001, elapsed);
  expect(Number(size?.replace(" MB", "")) * 1e6).toBeWithin(made.bytes - 1e5, made.bytes + 1e5);
  petstore.remove();
});

test("a backup says where it is, and the list has all, newest first, with their sizes, and what is known of each", async () => {
  const { petstore, path } = await newWorkplace();
  const made = async () => {
    const { stdout } = await petstore.run(["database", "backup"]);
    return /^Backed up (\S+) to (\S+): (\S+) \((\S+ MB)\)\.\n$/.exec(stdout)?.slice(1) ?? [];
  };
  const [first, second] = [await made(), await made()];
  expect([first.slice(0, 2), second.slice(0, 2)]).toEqual([
    [path, petstore.path("backups")],
    [path, petstore.path("backups")],
  ]);
  const oldest = "petstore-production-2020-01-01T00-00-00.000Z.db";
  writeFileSync(petstore.path(`backups/${oldest}`), "");
  truncateSync(petstore.path(`backups/${oldest}`), 1_250_000_000);
  const problem = "a page is damaged";
  const description = petstore.path(`backups/${first[2]}.json`);
  writeFileSync(description, JSON.stringify({ ...JSON.parse(readFileSync(description, "utf8")), problem }));
  const { stdout } = await petstore.run(["database", "backups", "list"]);
  const [, ...lines] = stdout.trimEnd().split("\n");
  expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
    [second[2] ?? "", "directory", second[3] ?? "", "verified"],
    ["", "4,000 pets · 0 orders · 0 keys"],
    [first[2] ?? "", "directory", first[3] ?? "", "damaged"],
    ["", problem],
    [oldest, "directory", "1,250 MB", "not verified"],
    ["", "No description is beside it."],
  ]);
  const names = (await petstore.json("database", "backups", "list")).map(({ name }: { name: string }) => name);
  expect(names).toEqual([second[2], first[2], oldest]);
  petstore.remove();
});

test("restore refuses a backup whose index does not agree with its table", async () => {
  const { petstore, copy } = await newWorkplace();
  // The name is in the table and in the indexes by category and by name.
  let at = copy.lastIndexOf("Pet 3999");
  // In its event it is within quotes.
  while (copy.toString("latin1", at - 1, at) === '"') at = copy.lastIndexOf("Pet 3999", at - 1);
  expect(copy.indexOf("Pet 3999")).toBeLessThan(at);
  const damaged = Buffer.from(copy);
  damaged.write("Pet 399x", at);
  writeFileSync(petstore.path("damaged.db"), damaged);
  const { code, stderr } = await petstore.run(["database", "restore", "damaged.db"]);
  expect(code).toBe(1);
  expect(stderr).toContain("damaged.db is damaged: row 4000 missing from index pets_by_category");
  petstore.remove();
});

test("restore compares a backup with the description beside it, and says where there is none", async () => {
  states(
    "docs/backups.md",
    "The command reads the whole backup first, and refuses one that is damaged, or whose SHA-256 is not the one in its description: `verify` finds the same, and so does `database check` with the file as `DATABASE_URL`",
    "A backup without its description, such as a download, cannot be compared: it needs `--unverified`.",
  );
  const { petstore, path, copy } = await newWorkplace();
  const restore = (...args: string[]) => petstore.run(["database", "restore", ...args]);
  expect(await petstore.json("database", "restore", "copy.db")).toMatchObject({ pets: PETS, verified: true });

  const before = readFileSync(path);
  writeFileSync(
    petstore.path("copy.db"),
    Buffer.from(copy.toString("latin1").replaceAll("Pet 39", "Cat 39"), "latin1"),
  );
  expect(await restore("copy.db", "--json")).toMatchObject({
    code: 1,
    stdout: "",
    stderr: "petstore: copy.db is damaged: It is not the file that was written: its SHA-256 is another.\n",
  });
  expect(readFileSync(path).equals(before)).toBe(true);
  const env = { DATABASE_URL: "sqlite:copy.db" };
  const { code: found, json } = await petstore.run(["database", "check", "--json"], { env });
  expect([found, json.problems]).toEqual([
    1,
    [
      "It is not the file that was written: its SHA-256 is another.",
      "111 rows of pets have another name_key than that of their name",
    ],
  ]);

  writeFileSync(petstore.path("moved.db"), copy);
  const { code, stderr } = await restore("moved.db");
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      "petstore: moved.db cannot be compared with what was written: moved.db.json is not in its directory, or describes another backup. Put it there, or restore without this check with --unverified.\n",
  });
  expect((await restore("moved.db", "--unverified", "--json")).json).toMatchObject({ pets: PETS, verified: false });
  const { stdout } = await restore("moved.db", "--unverified");
  expect(stdout).toContain("\nIt was not compared with what was written: it has no description.\n");
  petstore.remove();
});

test("a description that does not agree with its backup is said by verify and by restore", async () => {
  states(
    "docs/backups.md",
    "Beside it, `….db.json` describes it: its SHA-256, its size, and the numbers of pets, orders and keys. Keep both together: a restore compares them.",
  );
  const { petstore } = await newWorkplace();
  const { name } = await petstore.json("database", "backup");
  const path = petstore.path(`backups/${name}.json`);
  const description = JSON.parse(readFileSync(path, "utf8"));
  const file = readFileSync(petstore.path(`backups/${name}`));
  expect(description.sha256).toBe(createHash("sha256").update(file).digest("hex"));
  for (const [fact, written] of [
    ["orders", 0],
    ["pets", PETS],
    ["bytes", description.bytes],
    ["schema", description.schema],
    ["keys", 0],
  ] as const) {
    writeFileSync(path, JSON.stringify({ ...description, [fact]: 99 }));
    const words = `Its description does not agree with it: ${fact} 99 in place of ${written}.`;
    const { code, stderr } = await petstore.run(["database", "restore", `backups/${name}`]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${words} Restore it without this check`)]);
    const verified = await petstore.run(["database", "backups", "verify", name]);
    expect([verified.code, verified.stdout]).toEqual([1, expect.stringContaining(words)]);
  }
  const restored = await petstore.json("database", "restore", `backups/${name}`, "--unverified");
  // The file is what was written, though its description has another number of rows.
  expect(restored).toMatchObject({ pets: PETS, verified: true });
  petstore.remove();
});

test("restore --to puts a backup into a new file, which it names, and leaves the database as it is", async () => {
  const { petstore, path } = await newWorkplace();
  await petstore.json("pets", "delete", "1");
  const before = readFileSync(path);
  const restore = (...args: string[]) => petstore.run(["database", "restore", "copy.db", "--to", ...args]);
  expect((await restore("one.db", "--json")).json).toMatchObject({ path: "one.db", file: "copy.db", kept: null });
  expect(await restore("another.db")).toMatchObject({
    code: 0,
    stdout: "Restored another.db from copy.db: 4,000 pets, 0 orders and 0 keys.\n",
  });
  expect(await restore("another.db")).toMatchObject({
    code: 1,
    stderr: "petstore: another.db exists already. Choose another file.\n",
  });
  expect(readFileSync(path).equals(before)).toBe(true);
  for (const name of ["one.db", "another.db"]) {
    const { stdout } = await petstore.run(["pets", "show", "1", "--json"], { env: { DATABASE_URL: `sqlite:${name}` } });
    expect(JSON.parse(stdout)).toMatchObject({ id: 1 });
  }
  petstore.remove();
});

test("a backup that replaces another one describes it anew", async () => {
  const { petstore } = await newWorkplace();
  await petstore.json("pets", "delete", "1");
  await petstore.json("database", "backup", "copy.db", "--force");
  expect(await petstore.json("database", "restore", "copy.db")).toMatchObject({ pets: PETS - 1, verified: true });
  petstore.remove();
});
