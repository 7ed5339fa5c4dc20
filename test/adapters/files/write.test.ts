import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatOf } from "../../../src/adapters/files/content.ts";
import { RejectedLines, writeFile } from "../../../src/adapters/files/write.ts";
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
