import { afterAll, beforeAll, expect, test } from "bun:test";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import type { Entry } from "../../src/adapters/files/content.ts";
import { newPets, pets as petFile } from "../../src/adapters/files/items.ts";
import { readItems } from "../../src/adapters/files/read.ts";
import { headerOf, linesOf } from "../../src/adapters/files/write.ts";
import { sqliteBulk } from "../../src/adapters/sqlite/bulk.ts";
import { Database } from "../../src/adapters/sqlite/database.ts";
import { SqlitePets } from "../../src/adapters/sqlite/pets.ts";
import type { Format } from "../../src/domain/files.ts";
import { INT64_MAX, INT64_MIN } from "../../src/domain/int64.ts";
import { NewPet, type Pet, PetStatus } from "../../src/domain/pets.ts";
import { states } from "../support/markdown.ts";
import { databasePathOf } from "../support/store.ts";
import { fill, pets } from "./exported-pets.ts";
import { startPetstore, Workplace } from "./petstore.ts";

const LARGEST = 64 * 1024;

let petstore: Workplace;
beforeAll(async () => {
  petstore = new Workplace();
  await fill(petstore, pets);
});
afterAll(() => petstore.remove());

test("NDJSON on standard output has every pet, by id, exact to the digit", async () => {
  const { code, stdout, stderr } = await petstore.run(["pets", "export"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const lines = stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(pets.length);
  expect(lines[0]).toBe('{"id":1,"name":"Rex, the \\"dog\\"","categoryId":9223372036854775807,"status":"sold"}');
  expect(lines.map((line) => JSON.parse(line).id)).toEqual(pets.map((_, i) => i + 1));
});

test("no database is replaced, with --force either", async () => {
  for (const args of [
    ["pets", "export", "petstore.db", "--force", "--format", "csv"],
    ["categories", "export", "--output", "petstore.db", "--force"],
    ["openapi", "--output", "petstore.db"],
    ["openapi", "--output", "petstore.db.ids"],
    ["pets", "export", "petstore.db-wal", "--force", "--format", "csv"],
  ]) {
    const { code, stderr } = await petstore.run(args);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("is a database, or belongs to one, and no other file replaces it.\n"),
    ]);
  }
  const { code, stderr } = await petstore.run(["database", "backup", "petstore.db.lock", "--force"]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("petstore.db.lock would belong to the database")]);
  expect(await petstore.json("database", "check")).toMatchObject({ intact: true });
});

test("CSV has a header, and quotes as RFC 4180 says", async () => {
  const { stdout } = await petstore.run(["pets", "export", "--format", "csv", "--status", "sold"]);
  expect(stdout).toBe('id,name,categoryId,status\n1,"Rex, the ""dog""",9223372036854775807,sold\n');
});

test("--output writes a file, in the format of its extension", async () => {
  const output = petstore.path("out.csv");
  expect(await petstore.json("pets", "export", "--output", output)).toEqual({
    exported: pets.length,
    format: "csv",
    output,
  });
  expect(readFileSync(output, "utf8")).toStartWith("id,name,categoryId,status\n1,");
});

test("--format decides over the extension of the file", async () => {
  states("docs/data.md", "The format of a file is NDJSON or CSV, by its extension or by `--format`.");
  const summary = await petstore.json("pets", "export", "other.csv", "--format", "ndjson");
  expect(summary).toEqual({ exported: pets.length, format: "ndjson", output: "other.csv" });
  expect(readFileSync(petstore.path("other.csv"), "utf8")).toStartWith('{"id":1,');
});

test("a spreadsheet runs no name of a CSV file as a formula, unless --raw asks for names as they are", async () => {
  states(
    "docs/data.md",
    "Names in CSV are safe to open in a spreadsheet; `--raw` writes and imports them as they are.",
  );
  states("docs/data.md", "Names in CSV are safe to open in a spreadsheet; `--raw` writes");
  const namesIn = async (...options: string[]) => {
    const { stdout } = await petstore.run(["pets", "export", "--format", "csv", "--status", "pending", ...options]);
    return [...stdout.matchAll(/^\d+,(.+),-7,pending$/gm)].map(([, name]) => name);
  };
  const escaped = ["'=1+1", "''=1+1", "'''@x", "'-5", "'+49", "'quoted'", "'＝1"];
  const inside = [`";'=1+1;x"`, `"a|'@b"`, `"a,' -b"`, `"a;''=1"`, `"a;'""+1"`];
  expect(await namesIn()).toEqual([...escaped, ...inside]);
  const raw = ["=1+1", "'=1+1", "''@x", "-5", "+49", "'quoted'", "＝1"];
  expect(await namesIn("--raw")).toEqual([...raw, `";=1+1;x"`, `"a|@b"`, `"a, -b"`, `"a;'=1"`, `"a;""+1"`]);
});

test("any pets survive an export and import in both formats, for any chunks of the file", async () => {
  states("docs/commands.md", "imports and exports the catalogue as NDJSON or CSV.");
  const name = fc
    .oneof(
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 255 }),
      fc.string({ unit: "binary", minLength: 1, maxLength: 255 }),
      fc.string({
        unit: fc.constantFrom('"', ",", " ", "\ufeff", "=", "-", "'", "a", "\u2028", "\\", "𝒳"),
        minLength: 1,
      }),
    )
    .filter((text) => NewPet.shape.name.safeParse(text).success);
  const pet = fc.record({
    id: fc.maxSafeNat(),
    name,
    categoryId: fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
    status: fc.constantFrom(...PetStatus.options),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(pet, { maxLength: 20 }), fc.integer({ min: 1, max: 200 }), async (pets, size) => {
      const expected = pets.map(({ id: _id, ...rest }) => rest);
      for (const format of ["ndjson", "csv", "raw-csv"] satisfies Format[]) {
        const text = (headerOf(format, petFile) ?? "") + linesOf(format, petFile, pets);
        expect(await petsOf(readItems(cut(text, size), format, newPets, { maxBytes: LARGEST }))).toEqual(expected);
      }
    }),
    { numRuns: 300 },
  );
});

async function* cut(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function petsOf(entries: AsyncGenerator<Entry<NewPet>[]>): Promise<unknown[]> {
  const all: Entry<NewPet>[] = [];
  for await (const some of entries) all.push(...some);
  return all.map((entry) => ("item" in entry ? entry.item : entry));
}

test("an export is a snapshot: pets that are added meanwhile are not in it", async () => {
  states(
    "docs/data.md",
    "`categories export` and `orders export` read page by page: what changes meanwhile may be exported as it was or as it is.",
  );
  states("docs/data.md", "`pets export` writes a consistent snapshot of the catalogue.");
  const other = new Workplace();
  await fill(other, pets);
  const writer = new Database({ path: databasePathOf(other.directory), deployment: "production" });
  const reader = new Database({ path: databasePathOf(other.directory), deployment: "production" });
  const seen: Pet[] = [];
  for (const page of sqliteBulk(reader, new SqlitePets(reader)).snapshot()) {
    await new SqlitePets(writer).create({ name: "Late", categoryId: 1n }, { now: Date.now() });
    seen.push(...page);
  }
  expect(seen).toHaveLength(pets.length);
  for (const open of [writer, reader]) open.close();
  other.remove();
});

test("a reader that closes its end stops the export without an error", async () => {
  const child = startPetstore(petstore.store, ["pets", "export"]);
  let complaint = "";
  child.stderr.on("data", (text) => {
    complaint += text;
  });
  await once(child.stdout, "data");
  child.stdout.destroy();
  await once(child, "close");
  expect({ code: child.exitCode, complaint }).toEqual({ code: 0, complaint: "" });
});

test("a file that cannot be written is named, and no unfinished file remains", async () => {
  mkdirSync(petstore.path("taken"), { recursive: true });
  for (const output of ["taken", "missing/pets.csv"]) {
    const { code, stderr } = await petstore.run(["pets", "export", "--output", output]);
    expect(code).toBe(1);
    expect(stderr).toContain(`petstore: ${output} cannot be written: `);
  }
  expect(readdirSync(petstore.directory).filter((name) => name.includes("unfinished"))).toEqual([]);
});

test("a full disk has a readable message", async () => {
  if (!existsSync("/dev/full")) return;
  const { code, stderr } = await petstore.run(["pets", "export", "--output", "/dev/full"]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: "petstore: /dev/full cannot be written: the disk is full.\n" });
});

test("an earlier file is replaced only with --force", async () => {
  states("docs/data.md", "`export` replaces an existing file only with `--force`.");
  writeFileSync(petstore.path("old.ndjson"), "old");
  const args = ["pets", "export", "--output", "old.ndjson", "--status", "sold"];
  expect(await petstore.run(args)).toMatchObject({
    code: 1,
    stdout: "",
    stderr: "petstore: old.ndjson exists already. Choose another file, or replace it with --force.\n",
  });
  expect(readFileSync(petstore.path("old.ndjson"), "utf8")).toBe("old");
  expect(await petstore.run([...args, "--force"])).toMatchObject({ code: 0, stderr: "" });
  expect(readFileSync(petstore.path("old.ndjson"), "utf8")).toStartWith('{"id":1,');
});
