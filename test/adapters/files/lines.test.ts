import { expect, test } from "bun:test";
import { readLines } from "../../../src/adapters/files/input.ts";

/** The lines of these chunks, of at most three bytes: number, text, and whether it is cut off. */
async function read(...chunks: (string | number[])[]): Promise<[number, string, boolean][]> {
  async function* stream() {
    for (const chunk of chunks)
      yield typeof chunk === "string" ? new TextEncoder().encode(chunk) : new Uint8Array(chunk);
  }
  const lines = (await Array.fromAsync(readLines(stream(), 3))).flat();
  return lines.map(({ number, bytes, isTooLong }) => [number, Buffer.from(bytes).toString("latin1"), isTooLong]);
}

test("a line may have the most bytes, and one more is too long, which says nothing about the next line", async () => {
  const lines: [number, string, boolean][] = [
    [1, "abc", false],
    [2, "abc", true],
    [3, "ab", false],
    [4, "", false],
    [5, "xyz", true],
  ];
  expect(await read("abc\nabcd\nab\n\nxyzzy")).toEqual(lines);
  expect(await read(..."abc\nabcd\nab\n\nxyzzy")).toEqual(lines);
});

test("a byte order mark is dropped at the beginning, and nowhere else", async () => {
  const mark = [0xef, 0xbb, 0xbf];
  expect(await read([...mark, 0x0a, ...mark, 0x0a])).toEqual([
    [1, "", false],
    [2, "\u00ef\u00bb\u00bf", false],
  ]);
});
