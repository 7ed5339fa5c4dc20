import { expect, test } from "bun:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { smallChunks } from "../../../src/adapters/files/input.ts";

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
  expect(performance.now() - slowFrom).toBeLessThan(300);
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
