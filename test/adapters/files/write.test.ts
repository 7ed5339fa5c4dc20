import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FileError, fileError, formatOf, type WritableContent } from "../../../src/adapters/files/content.ts";
import { auditEntries, categories, orders, pets } from "../../../src/adapters/files/items.ts";
import { headerOf, linesOf, RejectedLines, reasonsOf, writeFile } from "../../../src/adapters/files/write.ts";
import { temporaryDirectory } from "../../support/temporary.ts";

let directory: string;
let path: string;
beforeEach(() => {
  directory = temporaryDirectory();
  path = join(directory, "pets.csv");
});
afterEach(() => rmSync(directory, { recursive: true }));

test("a file is replaced when the last text is written, and has its old content until then", async () => {
  writeFileSync(path, "old");
  async function* texts() {
    yield "new ";
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(readFileSync(path, "utf8")).toBe("old");
    yield "content";
  }
  await writeFile(path, texts());
  expect(readFileSync(path, "utf8")).toBe("new content");
  expect(readdirSync(directory)).toEqual(["pets.csv"]);
});

test("a file stays as it was when its texts fail, and nothing else is left", async () => {
  writeFileSync(path, "old");
  async function* texts() {
    yield "new";
    throw new Error("the store is gone");
  }
  await expect(writeFile(path, texts())).rejects.toThrow();
  expect(readFileSync(path, "utf8")).toBe("old");
  expect(readdirSync(directory)).toEqual(["pets.csv"]);
});

test("the ending of a file says its format, in capitals too", () => {
  for (const [ending, format] of [
    [".csv", "csv"],
    [".ndjson", "ndjson"],
    [".jsonl", "ndjson"],
    [".tsv"],
    [""],
  ] as const)
    for (const name of [`pets${ending}`, `/a.csv/Pets${ending.toUpperCase()}`]) expect(formatOf(name)).toBe(format);
});

test("a directory is refused", async () => {
  mkdirSync(path);
  await expect(writeFile(path, ["new"])).rejects.toThrow(`${path} cannot be written: it is a directory.`);
});

test("a check that rejected lines can be written leaves an earlier file as it is, and no new one", () => {
  new RejectedLines(path, false).requireWritable();
  expect(readdirSync(directory)).toEqual([]);
  writeFileSync(path, "earlier");
  new RejectedLines(path, true).requireWritable();
  expect(readFileSync(path, "utf8")).toBe("earlier");
  const missing = join(directory, "missing", "pets.csv");
  expect(() => new RejectedLines(missing, false).requireWritable()).toThrow(missing);
});

test.each([
  ["ENOENT", "there is no such"],
  ["EISDIR", "is a directory"],
  ["ENOTDIR", "not a directory"],
  ["EACCES", "permission denied"],
  ["EPERM", "permission denied"],
  ["ENOSPC", "disk is full"],
  ["EDQUOT", "quota"],
  ["EROFS", "read-only"],
  ["EFBIG", "too large"],
  ["EMFILE", "too many files"],
  ["EIO", "EIO"],
])("a file that cannot be read or written because of %s is named with the reason: %s", (code, reason) => {
  const error = Object.assign(new Error("of the system"), { code, syscall: "open" });
  for (const participle of ["read", "written"] as const) {
    const described = fileError("a.csv", participle, error);
    expect(described).toBeInstanceOf(FileError);
    expect(String(described)).toMatch(new RegExp(`a\\.csv cannot be ${participle}: .*${reason}.*\\.$`));
  }
  // What is no error of a file stays as it is.
  const other = Object.assign(new Error("of the store"), { code });
  expect(fileError("a.csv", "read", other)).toBe(other);
});

/** The cell of each column in the line of an item, by the name of the column. The cells have no separators. */
function cellsOf<Item>(content: WritableContent<Item>, item: Item, format: "csv" | "raw-csv" = "csv") {
  const names = String(headerOf(format, content)).trimEnd().split(",");
  const cells = linesOf(format, content, [item]).trimEnd().split(",");
  expect(cells).toHaveLength(names.length);
  return Object.fromEntries(names.map((name, i) => [name, cells[i]]));
}

test("each column of a CSV file has what the field of its name has in JSON, and what people chose is no formula", () => {
  const pet = { id: 1, name: "=name", categoryId: 2n, status: "sold", version: 3 } as const;
  expect(cellsOf(pets, pet)).toEqual({ id: "1", name: "'=name", categoryId: "2", status: "sold" });
  expect(cellsOf(pets, pet, "raw-csv").name).toBe("=name");
  expect(cellsOf(categories, { id: 4n, name: "+name", version: 1 })).toEqual({ id: "4", name: "'+name" });

  const times = { createdAt: 1_000, updatedAt: 2_000, expiresAt: 3_000 };
  const order = { id: 5, petId: 6, status: "placed", reference: "=reference", version: 1, ...times } as const;
  const placed = { ...order, pet: { name: "@name", categoryId: 7n } };
  const json = JSON.parse(orders.json(placed));
  expect(cellsOf(orders, placed)).toEqual({
    ...{ id: String(json.id), petId: String(json.petId), status: json.status, reference: "'=reference" },
    ...{ createdAt: json.createdAt, updatedAt: json.updatedAt, expiresAt: json.expiresAt },
    ...{ petName: "'@name", petCategoryId: "7" },
  });
  expect([json.createdAt, json.updatedAt, json.expiresAt].map(Date.parse)).toEqual([1_000, 2_000, 3_000]);
  const { reference: _, ...bare } = order;
  expect(cellsOf(orders, { ...bare, pet: null })).toMatchObject({ petName: "", petCategoryId: "", reference: "" });

  const operator = { id: "op_1", name: "=operator" };
  const states = { before: 1n, after: 2n };
  const entry = {
    id: 8,
    at: 4_000,
    operator,
    action: "key.create",
    target: "=target",
    requestId: "=request",
    ...states,
  } as const;
  expect(cellsOf(auditEntries, entry)).toEqual({
    ...{ id: "8", at: new Date(4_000).toISOString(), operatorId: "op_1", operator: "'=operator" },
    ...{ action: "key.create", target: "'=target", before: "1", after: "2", requestId: "'=request" },
  });
  const { target: _target, before: _before, after: _after, requestId: _requestId, ...short } = entry;
  const empty = { operatorId: "", target: "", before: "", after: "", requestId: "" };
  expect(cellsOf(auditEntries, { ...short, operator: { name: "Ada" } })).toMatchObject({ ...empty, operator: "Ada" });
});

test("rejected lines go to their file with their reasons, the first ones apart, and those of an earlier import are gone", () => {
  const rejected = (line: number) => ({ line, end: line, bytes: Buffer.from(`line ${line}\r`), reason: "It is odd." });
  const format = (lines: { line: number }[], isFirst: boolean) =>
    `${isFirst ? "first" : "more"} ${lines.map(({ line }) => line)}\n`;
  writeFileSync(path, "earlier");
  const lines = new RejectedLines(path, false);
  lines.add([], format);
  expect(readdirSync(directory)).toEqual([]);
  lines.add([rejected(2), rejected(3)], format);
  lines.add([rejected(7)], format);
  lines.close();
  expect(readFileSync(path, "utf8")).toBe("first 2,3\nmore 7\n");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const goingOn = new RejectedLines(path, true);
  goingOn.add([rejected(9)], format);
  goingOn.close();
  expect(readFileSync(path, "utf8")).toBe("first 2,3\nmore 7\nmore 9\n");
  const [first, second] = reasonsOf([rejected(2), { ...rejected(3), bytes: Uint8Array.of(0xff) }]).split("\n");
  expect(JSON.parse(String(first))).toEqual({ line: 2, reason: "It is odd.", text: "line 2" });
  expect(JSON.parse(String(second)).text).toBe("\ufffd");
});

test("a file named as one of a database is no database's where there is none beside it", async () => {
  const log = join(directory, "pets.db-wal");
  await writeFile(log, ["mine"]);
  writeFileSync(join(directory, "pets.db"), "SQLite format 3\0");
  await expect(writeFile(log, ["other"])).rejects.toThrow("is a database, or belongs to one");
  await expect(writeFile(join(directory, "pets.db"), ["other"])).rejects.toThrow("is a database, or belongs to one");
  expect(readFileSync(log, "utf8")).toBe("mine");
});
