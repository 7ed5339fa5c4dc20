import { describe, expect, test } from "bun:test";
import { readCsv } from "../../../src/adapters/files/csv.ts";

const read = (text: string) => {
  async function* chunks() {
    yield new TextEncoder().encode(text);
  }
  return Array.fromAsync(readCsv(chunks(), 1_000)).then((batches) => batches.flat());
};

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
  expect(rex).toMatchObject({ line: 2, pet: { name: "Rex", categoryId: 1n } });
  expect(refused).toMatchObject([
    { line: 3, reason: "The line has 1 fields, the header has 2." },
    { line: 4, reason: "The line has 3 fields, the header has 2." },
  ]);
});
