import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { csvRows, escapeFormula, unescapeFormula } from "../../../src/adapters/files/csv-table.ts";
import { newPets } from "../../../src/adapters/files/items.ts";
import { readItems } from "../../../src/adapters/files/read.ts";
import { states } from "../../support/markdown.ts";

const read = (text: string, maxBytes = 1_000) => {
  async function* chunks() {
    yield new TextEncoder().encode(text);
  }
  return Array.fromAsync(readItems(chunks(), "csv", newPets, { maxBytes })).then((batches) => batches.flat());
};
/** The names of the pets that a text has, and the numbers of the lines that are rejected. */
const outcomes = async (text: string, maxBytes?: number) =>
  (await read(text, maxBytes)).map((entry) => ("item" in entry ? entry.item.name : entry.line));

describe("a CSV file whose header", () => {
  test.each([
    ["name\nRex\n", "Line 1 must name the columns, such as name,categoryId,status; it lacks categoryId."],
    ["categoryId\n1\n", "Line 1 must name the columns, such as name,categoryId,status; it lacks name."],
    ["id\n1\n", "Line 1 must name the columns, such as name,categoryId,status; it lacks name and categoryId."],
    ["name,categoryId,name\nRex,1,Mia\n", "Line 1 names the column name twice."],
    ["\n \n", "The file is empty. Its first line must name the columns, such as name,categoryId,status."],
  ])("is %j is refused", async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });
});

test("a line must have as many fields as the header", async () => {
  const [rex, ...refused] = await read("name,categoryId\nRex,1\nMia\nBo,2,sold\n");
  expect(rex).toMatchObject({ line: 2, item: { name: "Rex", categoryId: 1n } });
  expect(refused).toMatchObject([
    { line: 3, reason: "The line has 1 field, the header has 2." },
    { line: 4, reason: "The line has 3 fields, the header has 2." },
  ]);
});

test.each(["1e2", "1E+2", "1.0", "01", "-0", "+1", " 1", "1_000", "0x1", "x"])(
  "an integer that is written as %j rejects its line",
  async (text) => {
    expect(await read(`name,categoryId\nRex,${text}\n`)).toMatchObject([
      { line: 2, reason: "categoryId must be an integer in plain digits, such as 12 or -7." },
    ]);
  },
);

test("an integer may be any int64", async () => {
  const [least, none, most, ...refused] = await read(
    "name,categoryId\nRex,-9223372036854775808\nBo,0\nMia,9223372036854775807\nMax,9223372036854775808\n",
  );
  expect([least, none, most]).toMatchObject([
    { item: { categoryId: -(2n ** 63n) } },
    { item: { categoryId: 0n } },
    { item: { categoryId: 2n ** 63n - 1n } },
  ]);
  expect(refused).toMatchObject([
    { line: 5, reason: "categoryId must be an integer from -9223372036854775808 to 9223372036854775807." },
  ]);
});

describe("a quoted field", () => {
  const HEADER = "name,categoryId,notes\n";

  test("may span lines, and contain quotes that are doubled", async () => {
    expect(await outcomes(`${HEADER}"Rex ""the dog""",1,"one\n\ntwo"\nBo,1,\n`)).toEqual(['Rex "the dog"', "Bo"]);
  });

  test.each(["\n", "\r\n"])("of a record that is rejected has its lines as they are, each with %j", async (end) => {
    const record = `Rex,x,"one${end}${end}""two"""${end === "\n" ? "" : "\r"}`;
    const entries = await read(`${HEADER}${record}\nBo,1,\n`);
    const rejected = entries.flatMap((entry) => ("reason" in entry ? [entry] : []));
    expect(rejected.map(({ line, end: last, bytes }) => [line, last, Buffer.from(bytes).toString()])).toEqual([
      [2, 4, record],
    ]);
    expect(entries).toHaveLength(2);
  });

  test.each([
    ["is never closed", `"Rex,1,\nBo,1,\n`, [2, "Bo"]],
    ["is closed by another stray quote, so that fields are missing", `"Rex,1,\nBo,1,"\nMia,1,\n`, [2, 3, "Mia"]],
    ["is closed before its end", `Rex,1,"\nBo,1,\n5" dog\nMia,1,\n`, [2, "Bo", 4, "Mia"]],
  ])("that %s rejects its own line", async (_, text, expected) => {
    expect(await outcomes(HEADER + text)).toEqual(expected);
  });

  test("may span 1,000 lines, and have as many bytes as a line", async () => {
    const spanning = (lines: number) => `${HEADER}Rex,1,"${"\n".repeat(lines - 1)}"\n`;
    expect(await outcomes(spanning(1_000), 10_000)).toEqual(["Rex"]);
    expect((await outcomes(spanning(1_001), 10_000))[0]).toBe(2);
    const long = `${HEADER}Rex,1,"${"x".repeat(500)}\n${"x".repeat(500)}"\n`;
    expect(await outcomes(long, 1_020)).toEqual(["Rex"]);
    expect(await outcomes(long, 1_000)).toEqual([2, 3]);
  });
});

test("a name that a spreadsheet would run is escaped, and so is one that looks escaped", () => {
  states(
    "docs/administration.md",
    "in CSV such a text has an apostrophe in front.",
    "and one more where it looks escaped already.",
  );
  for (const name of ["=1+1", "'=1+1", "''@x", "'Rex", "Rex"]) expect(unescapeFormula(escapeFormula(name))).toBe(name);
  expect(["=1", "'=1", "'Rex"].map(escapeFormula)).toEqual(["'=1", "''=1", "'Rex"]);
});

describe("a text with a separator inside", () => {
  const FORMULA = /^[\s"]*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
  const SEPARATORS = [",", ";", "\t", "|"];
  const text = fc.string({ unit: fc.constantFrom(...";,|\t\r\n'\"=+-@ \u00a0\uff1dx"), maxLength: 12 });

  test.each([
    ";=1+1;x",
    "x\t+1",
    "x|@SUM(1)",
    "x\n-1",
    "x\r=1",
    'x;"=1"',
    "x; =1",
    "x;\u00a0=1",
    "x;'=1",
    "x;''\uff1d1",
    "\t\t=1",
    "a,=1,b",
  ])("%j begins no formula", (name) => {
    for (const cell of escapeFormula(name).split(/[,;|\t\r\n]/)) expect(cell).not.toMatch(/^[\s"]*[=+\-@\uff1d]/);
    expect(unescapeFormula(escapeFormula(name))).toBe(name);
  });

  test("becomes a formula with no list separator, and is read again exactly", () => {
    states(
      "docs/administration.md",
      "It also has one behind each comma, semicolon, tab, `|` and line end where such a cell would begin in a spreadsheet with that separator",
      "An import removes them again, so that an exported file imports exactly.",
    );
    fc.assert(
      fc.property(text, (name) => {
        expect(unescapeFormula(escapeFormula(name))).toBe(name);
        const [row = ""] = csvRows([["7", name, "1"]]).split(/\n$/);
        for (const separator of SEPARATORS) {
          // However a spreadsheet takes the quotes.
          const cells = row.split(/[\r\n]/).flatMap((line) => line.split(separator));
          for (const cell of cells) if (cell.trim() !== "") expect(cell).not.toMatch(FORMULA);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test("takes time in proportion to its length", () => {
    const { user } = process.cpuUsage();
    for (const part of ["\t", ";'", ';"', "; ", "'", ';""'])
      expect(unescapeFormula(escapeFormula(part.repeat(50_000)))).toBe(part.repeat(50_000));
    expect(process.cpuUsage().user - user).toBeLessThan(2_000_000);
  });
});
