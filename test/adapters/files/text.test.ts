import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import type { ReadableContent } from "../../../src/adapters/files/content.ts";
import { categoryLines, newPets, petChanges } from "../../../src/adapters/files/items.ts";
import { readItems } from "../../../src/adapters/files/read.ts";
import type { Format } from "../../../src/domain/files.ts";
import { states } from "../../support/markdown.ts";

type Content = string | Uint8Array;

/** Reads a file in pieces of `size` bytes. Returns the items, and the numbers of the lines that are rejected. */
async function itemsOf<Item>(content: Content, format: Format, lines: ReadableContent<Item>, size: number) {
  const bytes = Buffer.from(content);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const entries = (await Array.fromAsync(readItems(chunks(), format, lines, { maxBytes: 65_536 }))).flat();
  return entries.map((entry) => ("item" in entry ? entry.item : entry.line));
}

const read = (content: Content, format: Format = "csv", size = 7) => itemsOf(content, format, newPets, size);

/** The words by which a file is refused. */
const refusal = (content: Content, format?: Format) =>
  read(content, format).then(
    () => "none",
    (error: Error) => error.message,
  );

const utf16 = (text: string, isBigEndian = false) => {
  const bytes = Buffer.from(text, "utf16le");
  return isBigEndian ? bytes.swap16() : bytes;
};
const pet = (name: string, categoryId: bigint, status?: "sold") => ({ name, categoryId, ...(status && { status }) });
const REX = [pet("Rex", 1n, "sold"), pet("Größe 🐕", 2n)];
const rows = (separator: string) =>
  [
    ["name", "categoryId", "status"],
    ["Rex", "1", "sold"],
    ["Größe 🐕", "2", ""],
  ]
    .map((row) => row.join(separator))
    .join("\r\n");

describe("a CSV file as spreadsheets write it:", () => {
  test.each<[string, Content]>([
    ["with commas", rows(",")],
    ["with semicolons", rows(";")],
    ["with tabs", rows("\t")],
    ["with vertical bars", rows("|")],
    ["with a byte order mark", `\ufeff${rows(";")}`],
    ["with a line that names the separator", `sep=;\r\n${rows(";")}`],
    ["with such a line after a byte order mark", `\ufeffSEP=,\n${rows(",")}`],
    ["with such a line in quotes", `"sep=\t"\n${rows("\t")}`],
    ["with a separator that only such a line shows", `sep=^\n${rows("^")}`],
    ["as little-endian UTF-16", utf16(`\ufeff${rows("\t")}`)],
    ["as big-endian UTF-16", utf16(`\ufeff${rows(",")}`, true)],
    ["as UTF-16 without a byte order mark", utf16(rows(";"))],
    ["as big-endian UTF-16 without a byte order mark", utf16(rows(";"), true)],
    [
      "with spaces and any case in the names of the columns",
      rows(";").replace("name;categoryId", " NAME ;Category ID\u00a0"),
    ],
    ["with quotes around the names of the columns", rows(";").replace("name;categoryId", '"Name";"CategoryId"')],
    [
      "with empty rows and columns",
      `${rows(",")}\r\n`.replaceAll("\r\n", ",,\r\n").replace("\r\n", '\r\n,,,,\r\n \r\n"",,,, \r\n'),
    ],
    ["with a blank line before the header", `\r\n \r\n${rows(",")}`],
    ["with empty rows before the header", `;;\r\n "",;\n${rows(";")}`],
    ["with a line that names the separator, and was saved as a row", `"sep=;",,\r\n${rows(",")}`],
    ["with a line that names the separator, and empty cells", `sep=;;;;\r\n${rows(";")}`],
    ["with underscores in the names of the columns", rows(",").replace("categoryId", "Category_Id")],
  ])("%s", async (_, content) => {
    states(
      "docs/data.md",
      "CSV may be as a spreadsheet saves it: with commas, semicolons, tabs or `|` between the cells, as the header or a first line `sep=;` shows, in UTF-8 or UTF-16. Case, spaces and underscores in the names of columns do not count. Blank lines and rows of empty cells are skipped.",
    );
    expect(await read(content)).toEqual(REX);
    expect(await read(content, "csv", 10_000)).toEqual(REX);
  });

  test("the separator is that of the header, and others are a part of the names", async () => {
    expect(await read('name;categoryId\n"a;b";1\nc,d;2\n')).toEqual([pet("a;b", 1n), pet("c,d", 2n)]);
    expect(await read("notes;more,name,categoryId\nx,a;b,1\n")).toEqual([pet("a;b", 1n)]);
  });

  test("categories and changes of pets, too", async () => {
    expect(await itemsOf("sep=;\nID;Name\n1;Dogs\n;\n", "csv", categoryLines, 7)).toEqual([{ id: 1n, name: "Dogs" }]);
    expect(await itemsOf("Id\tStatus\n7\tsold\n\t\n", "csv", petChanges, 7)).toEqual([{ id: 7n, status: "sold" }]);
  });
});

const zip = (...names: string[]) =>
  names.map((name) => `PK\u0003\u0004\u0014\0\0\0\u0008\0${name}`).join("x".repeat(90));

describe.each<Format>(["csv", "ndjson"])("given as %s, a file is refused by what it is:", (format) => {
  test.each<[string, Content, string]>([
    ["gzip", gzipSync("name,categoryId\nRex,1\n"), "The file is compressed."],
    ["bzip2", "BZh91AY&SY", "The file is compressed."],
    ["zstd", Buffer.from("28b52ffd0458", "hex"), "The file is compressed."],
    ["xz", Buffer.from("fd377a585a00", "hex"), "The file is compressed."],
    ["compress", Buffer.from("1f9d90", "hex"), "The file is compressed. Decompress it first."],
    ["lzh", Buffer.from("1fa000", "hex"), "The file is compressed. Decompress it first."],
    ["7-Zip", Buffer.from("377abcaf271c", "hex"), "The file is compressed. Decompress it first."],
    ["RAR", "Rar!\u001a\u0007", "The file is compressed. Decompress it first."],
    ["LZ4", Buffer.from("04224d1864", "hex"), "The file is compressed. Decompress it first."],
    ["zip", zip("pets.csv"), "The file is compressed. If it is a spreadsheet, save it as CSV; otherwise "],
    ["an empty zip", "PK\u0005\u0006\0\0\0\0", "The file is compressed."],
    ["a zip in parts", "PK\u0007\u0008\0\0\0\0", "The file is compressed."],
    [
      "xlsx",
      zip("[Content_Types].xml", "_rels/.rels", "xl/workbook.xml"),
      "The file is a spreadsheet, save it as CSV.",
    ],
    [
      "ods",
      zip("mimetypeapplication/vnd.oasis.opendocument.spreadsheet"),
      "The file is a spreadsheet, save it as CSV.",
    ],
    ["numbers", zip("Index/Document.iwa"), "The file is a spreadsheet, save it as CSV."],
    ["xls", Buffer.from("d0cf11e0a1b11ae10000", "hex"), "The file is a spreadsheet, save it as CSV."],
    ["pdf", "%PDF-1.7\n", "The file is a PDF document."],
    ["a picture", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), "The file is not text."],
    ["a GIF", "GIF89a", "The file is not text. Save the table as CSV."],
    ["a photo", Buffer.from("ffd8ffe000104a464946", "hex"), "The file is not text. Save the table as CSV."],
    ["a text document", "{\\rtf1\\ansi", "The file is a text document (RTF). Save the table as CSV."],
    ["a database", "SQLite format 3\0\u0010\0", "The file is not text."],
    ["zlib", Buffer.from("789c4bca2c4a020003f80158", "hex"), "The file is not text."],
    ["a web page", "<!DOCTYPE html>\n<table>", "The file is XML or a web page."],
    ["an XML spreadsheet", '\ufeff<?xml version="1.0"?>\n<Workbook>', "The file is XML or a web page."],
    ["zlib of most programs", Buffer.from("78da4bca", "hex"), "The file is not text."],
    ["a pdf behind a byte order mark", "\ufeff%PDF-1.7\n", "The file is a PDF document."],
    ["UTF-32", Buffer.from("fffe00006e000000", "hex"), "The file is UTF-32."],
    ["big-endian UTF-32", Buffer.from("0000feff0000006e", "hex"), "The file is UTF-32. Save it as UTF-8."],
    ["lines that end in CR", "name,categoryId\rRex,1\rMia,2\r", "The line ends are CR alone."],
    ["lines in quotes that end in CR", '"name","categoryId"\r"Rex",1\r', "The line ends are CR alone."],
    [
      "NDJSON lines that end in CR",
      '{"name":"a","categoryId":1}\r{"name":"b","categoryId":1}\r',
      "The line ends are CR alone.",
    ],
    ["UTF-16 lines that end in CR", utf16("\ufeffname;categoryId\rRex;1\r"), "The line ends are CR alone."],
  ])("%s", async (_, content, words) => {
    expect(await refusal(content, format)).toStartWith(words);
  });
});

test("a CSV file in Latin-1 is refused, and one with an invalid line is not", async () => {
  states(
    "docs/data.md",
    "A file is not UTF-8 if of its lines with characters beyond ASCII fewer are valid than invalid. Otherwise invalid ones are rejected.",
  );
  const latin1 = Buffer.from("name,categoryId\nRex,1\nGröße,2\n", "latin1");
  expect(await refusal(latin1)).toBe(
    "The file is not UTF-8 (line 3): it seems to be Latin-1 or Windows-1252. Save it as UTF-8.",
  );
  expect(await refusal(Buffer.from("name,categoryId,Größe\nRex,1,\n", "latin1"))).toStartWith(
    "The file is not UTF-8 (line 1)",
  );
  const far = `name,categoryId\n${"Rex,1\n".repeat(30_000)}`;
  expect(await refusal(Buffer.from(`${far}Größe,2\nÄrger,2\n`, "latin1"))).toStartWith(
    "The file is not UTF-8 (line 30002)",
  );
  const json = Buffer.from('{"name":"Rex","categoryId":1}\n{"name":"Größe","categoryId":2}\n', "latin1");
  expect(await refusal(json, "ndjson")).toStartWith("The file is not UTF-8 (line 2): it seems to be Latin-1");
  const japanese = Buffer.from("name,categoryId\n\x83\x7c\x83\x60\x82\xbd\x82\xeb,1\n\x8c\xa2\x8e\x94,1\n", "latin1");
  expect(await refusal(japanese)).toStartWith("The file is not UTF-8 (line 2)");
  const damaged = Buffer.concat([Buffer.from("name,categoryId\nGröße,1\n"), latin1.subarray(22)]);
  expect(await read(damaged)).toEqual([pet("Größe", 1n), 3]);
  expect(await read("name,categoryId\n\ufffd,1\n")).toEqual([pet("\ufffd", 1n)]);
});

test("line ends of CR alone, and what is no text, are found behind other lines", async () => {
  states(
    "docs/data.md",
    "Of standard input and of a file that is sent over HTTP the first 32 KiB are: what comes later ends the import there.",
  );
  const csv = `name,categoryId\n${"Rex,1\n".repeat(20_000)}`;
  const json = '{"name":"Rex","categoryId":1}';
  for (const [content, format] of [
    [`${csv}Rex,1\rMia,2\rBo,3\r`, "csv"],
    [`${csv}"Rex",1\r"Mia, the cat",2\r`, "csv"],
    [`${csv}"Rex",1\r"Mia",2\r"Bo,3`, "csv"],
    [`${csv}${"Rex,1\r".repeat(20_000)}`, "csv"],
    [`${json}\n`.repeat(20_001) + `${json}\r`.repeat(3), "ndjson"],
    [`${json}\n`.repeat(20_001) + `${json}\r`.repeat(3_000), "ndjson"],
  ] as const) {
    expect(await refusal(content, format)).toMatch(/^The line ends are CR alone \(line 2000[12]\)\. Save the file /);
  }
  expect(await refusal(`${csv}Re\0x,1\n`)).toBe("The file is not text: line 20002 has a NUL character.");
  expect(await refusal(Buffer.concat([Buffer.from(csv), utf16("Mia,2\n")]))).toStartWith("The file is not text");
  // A return in a name, or in quotes, is none.
  expect(await read('name,categoryId,notes\nRe\rx,1,\nMia,2,"a\rb\nc\rd"\r\n')).toEqual([2, pet("Mia", 2n)]);
  expect(await read(`{"name":"Re\rx","categoryId":1}\n${json}\r\n`, "ndjson")).toEqual([1, pet("Rex", 1n)]);
});

test("a file that ends before the line to begin with is refused, and one that ends just there has nothing left", async () => {
  const reading = (content: string, format: Format, fromLine: number) => {
    const chunks = (async function* () {
      yield Buffer.from(content);
    })();
    return Array.fromAsync(readItems(chunks, format, newPets, { maxBytes: 65_536, fromLine }));
  };
  const csv = "name,categoryId\nRex,1\n";
  expect((await reading(csv, "csv", 3)).flat()).toEqual([]);
  expect(reading(csv, "csv", 4)).rejects.toThrow("The file ends with line 2: it has no line 4.");
  expect(reading('{"name":"Rex","categoryId":1}\n', "ndjson", 99)).rejects.toThrow("The file ends with line 1");
});

describe("NDJSON that is", () => {
  const [a, b] = ['{"name":"A","categoryId":1}', '{"name":"B","categoryId":2}'];
  test.each([
    ["an array with an element on each line", `[\n${a},\n${b}\n]`],
    ["an array that begins on the line of an element", `[${a},\n${b}]`],
    ["an array with commas in front", `[\n${a}\n,${b}\n]`],
    ["an array over blank lines", `\ufeff\n \n[\n\n${a},\n${b}\n]\n`],
    ["an indented array", JSON.stringify([{ name: "A", categoryId: 1 }], null, 2)],
    ["an array with an element that begins on its line", `[{"name":"A",\n"categoryId":1},\n${b}\n]`],
    ["an object around an array", `{"pets":[\n${a},\n${b}\n]}`],
    ["an object around an array on the next line", `{\n"pets":\n[\n${a},\n${b}\n]}`],
    ["an object around an array that begins with a colon", `{"next":null,"pets":\n[${a},\n${b}\n]}`],
    ["an object that ends in a name", `{"pets"\n:[\n${a},\n${b}\n]}`],
    ["an object in an object", `{"data":{"total":2,"pets":[${a},\n${b}\n]}}`],
    ["indented objects", `${JSON.stringify({ name: "A", categoryId: 1 }, null, 2)}\n${b}\n`],
    ["an array in UTF-16", utf16(`\ufeff[\n${a},\n${b}\n]`)],
    ["an array of strings with brackets", `["]}\\"",\n${b}\n]`],
    ["an array on one line", `[${a},${b}]`],
    ["an array on one line of more than 64 KiB", `[${`${a}, `.repeat(3_000)}${b}]`],
    ["an object around an array on one line", `{"status":"ok","pets":[${a},${b}]}`],
    ["such an object of more than 64 KiB", `{"total":2,"pets":[${`${a},`.repeat(3_000)}${b}]}`],
    ["an object whose first line has more than 64 KiB", `{"note":"${"x".repeat(70_000)}","pets":[\n${a},\n${b}\n]}`],
    ["objects with commas between the lines", `${a},\n${b}\n`],
    ["objects with commas between them on a line", `${a}, ${b}\n${b}\n`],
    ["one object with a comma", `${a},\n`],
    ["an array after a comment", `// pets\n[\n${a},\n${b}\n]`],
    ["an array on one line after a comment", `# pets\n[${a},${b}]`],
    ["an array after an object", `{"next":null}\n[\n${a}\n]\n`],
    ["objects with commas after an object", `${a}\n${a}, // the second\n${b}\n`],
    ["objects with commas in front after an object", `${a}\n,${b}\n`],
    ["a member with an array", `"pets": [\n${a}\n]\n`],
    ["JavaScript", `var pets = [\n${a},\n${b}\n];\n`],
    ["JavaScript on one line", `export default [${a}];\n`],
    ["indented objects after others", `${a}\n${JSON.stringify({ name: "A", categoryId: 1 }, null, 2)}\n`],
    ["a document far behind lines of NDJSON", `${`${a}\n`.repeat(5_000)}[\n${a},\n${b}\n]\n`],
  ])("%s is refused before anything is stored", async (_, content) => {
    expect(await refusal(content, "ndjson")).toMatch(
      /^The file is a JSON document \(line \d+\), not NDJSON, which has one object per line\. /,
    );
  });

  test("a first line that is damaged rejects that line alone", async () => {
    for (const damaged of ["{bad", '{"name":"Rex","cat', '{"name":"A"]', "[}", "x", '"[', `[${"[".repeat(40)}`]) {
      expect(await read(`${damaged}\n${b}\n`, "ndjson")).toEqual([1, pet("B", 2n)]);
    }
    expect(await read(`[]\n${b}\n`, "ndjson")).toEqual([1, pet("B", 2n)]);
  });

  test("a later line that is damaged, or has nested values, rejects that line at most", async () => {
    states(
      "docs/data.md",
      "A line of NDJSON is an object. An array or a list of objects, a comma behind an object, and brackets that other lines close are parts of a JSON document",
    );
    const halves = [
      a.slice(0, 1),
      a.slice(0, 12),
      a.slice(0, -1),
      a.slice(12),
      "{}{}",
      '["A",1]',
      "A,1,",
      "x]",
      "null",
    ];
    for (const damaged of halves) {
      expect(await read(`${b}\n${damaged}\n`, "ndjson")).toEqual([pet("B", 2n), 2]);
    }
    for (const damaged of halves.slice(1, 4)) {
      expect(await read(`${b}\n${damaged}\n${b}\n`, "ndjson")).toEqual([pet("B", 2n), 2, pet("B", 2n)]);
    }
    const nested = ',"tags":[{"a":[1]},{"b":[{}]}],"x":"}, [{"}';
    expect(await read(`${a.slice(0, -1)}${nested}\n${b}\n`, "ndjson")).toEqual([pet("A", 1n), pet("B", 2n)]);
    const long = `${a.slice(0, -1)},"tags":[${'{"a":1},'.repeat(10_000)}{}]}`;
    expect(await read(`${b}\n${long}\n${long.slice(0, 9_000)}\n${b}\n`, "ndjson")).toEqual([
      pet("B", 2n),
      2,
      3,
      pet("B", 2n),
    ]);
  });

  test("an object with objects in a list that lacks a part of an item rejects its line alone", async () => {
    for (const lacking of ['{"name":"A","tags":[{"a":1}]}', '{"categoryId":1,"tags":[{"a":[{}]},{}]}']) {
      expect(await read(`${lacking}\n${b}\n`, "ndjson")).toEqual([1, pet("B", 2n)]);
      expect(await read(`${b}\n${lacking}\n${b}\n`, "ndjson")).toEqual([pet("B", 2n), 2, pet("B", 2n)]);
    }
  });

  test("takes time in proportion to the length of the first line", async () => {
    const { user } = process.cpuUsage();
    for (const part of ['\\"', '"', "[", '{"', '"\\']) await read(`["${part.repeat(25_000)}\n${b}\n`, "ndjson", 10_000);
    expect(process.cpuUsage().user - user).toBeLessThan(2_000_000);
  });

  test("CSV is refused, as is JSON that is given as CSV", async () => {
    expect(await refusal(rows(";"), "ndjson")).toBe("The file is CSV, not NDJSON.");
    expect(await refusal(`sep=,\n${rows(",")}`, "ndjson")).toBe("The file is CSV, not NDJSON.");
    for (const json of [a, `[\n${a}\n]`, " {\n"]) expect(await refusal(json)).toBe("The file is JSON, not CSV.");
  });
});
