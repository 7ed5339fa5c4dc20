import { expect, test } from "bun:test";
import { cut, tableOf } from "../../src/commands/lists.ts";

const rows = [
  ["ID", "NAME", "STATUS"],
  ["key_1", `A name of ${"many ".repeat(18)}words`, "active"],
  ["key_2", "宠物商店 🐕", "disabled"],
];
const lines = (width: number) => tableOf(rows, 1, width).split("\n");

test("a table that fits is not cut", () => {
  const [, first, second] = lines(200);
  expect(first).toBe(`key_1  A name of ${"many ".repeat(18)}words  active`);
  expect(second).toMatch(/^key_2 {2}宠物商店 🐕 +disabled$/);
});

test("on a narrow terminal one column is cut, and the others stay aligned and whole", () => {
  for (const width of [80, 60, 40, 26]) {
    const shown = lines(width);
    expect(shown[1]).toMatch(/^key_1 {2}A name?.*… {2}active$/);
    expect(Math.max(...shown.map((line) => Bun.stringWidth(line)))).toBe(width);
    const starts = shown.map((line) => Bun.stringWidth(line.replace(/(STATUS|active|disabled)$/, "")));
    expect(new Set(starts).size).toBe(1);
  }
});

test("a column is cut to six characters at most", () => {
  expect(lines(10)).toEqual(["ID     NAME    STATUS", "key_1  A nam…  active", "key_2  宠物…   disabled"]);
});

test("a line is cut at the width of the terminal", () => {
  expect(cut("a short line", 12)).toBe("a short line");
  expect(cut("a longer line", 12)).toBe("a longer li…");
});
