import { expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Input, readLines, smallChunks } from "../../../src/adapters/files/input.ts";
import { besideLoad } from "../../support/eventually.ts";
import { temporaryDirectory } from "../../support/temporary.ts";

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

test("what is read of a file is counted from its beginning, each time that it is read", async () => {
  const directory = temporaryDirectory();
  const path = join(directory, "pets.csv");
  writeFileSync(path, "x".repeat(300_000));
  const input = Input.file(path);
  for (const _ of [1, 2]) {
    let bytes = 0;
    for await (const chunk of input.chunks()) {
      bytes += chunk.length;
      expect(input.bytesRead).toBe(bytes);
    }
    expect([bytes, input.size]).toEqual([300_000, 300_000]);
  }
  rmSync(directory, { recursive: true });
});

async function* chunksOf(...chunks: Uint8Array[]) {
  yield* chunks;
}

test("the pieces are the chunks, a kilobyte at a time", async () => {
  const chunk = crypto.getRandomValues(new Uint8Array(3_000));
  const pieces = await Array.fromAsync(smallChunks(chunksOf(chunk, chunk.subarray(0, 10))));
  expect(pieces.map(({ length }) => length)).toEqual([1_024, 1_024, 952, 10]);
  expect(Buffer.concat(pieces)).toEqual(Buffer.concat([chunk, chunk.subarray(0, 10)]));
});

test("no more than 100 MB are read per second, so that garbage does not pile up", async () => {
  const began = performance.now();
  let bytes = 0;
  let slowFrom = 0;
  for await (const { length } of smallChunks(chunksOf(new Uint8Array(10_000_000), new Uint8Array(5_000)))) {
    bytes += length;
    if (bytes <= 10_000_000) continue;
    // What is read slower than that is not delayed.
    slowFrom ||= performance.now();
    const until = performance.now() + 2;
    while (performance.now() < until);
  }
  expect(bytes).toBe(10_005_000);
  // But for the last slice.
  expect(slowFrom - began).toBeGreaterThan(98);
  expect(performance.now() - slowFrom).toBeLessThan(besideLoad(300));
});

test("no pause is negative, of which runtimes warn, however far the clock has gone on at its next reading", async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error) => warnings.push(name);
  process.on("warning", note);
  for (const step of [0.0093, 0.0097, 0.0099, 0.01]) {
    let now = 0;
    const clock = () => {
      now += step;
      return now;
    };
    for await (const _ of smallChunks(chunksOf(new Uint8Array(1_000_000)), clock));
  }
  // A warning is emitted in a later turn.
  await nextTurn();
  process.off("warning", note);
  expect(warnings).toEqual([]);
});

test("other work gets a turn while pieces take long", async () => {
  let turns = 0;
  let isDone = false;
  const others = (async () => {
    for (; !isDone; turns++) await nextTurn();
  })();
  for await (const _ of smallChunks(chunksOf(new Uint8Array(10 * 1_024)))) {
    const until = performance.now() + 2;
    while (performance.now() < until);
  }
  isDone = true;
  await others;
  expect(turns).toBeGreaterThanOrEqual(9);
});
