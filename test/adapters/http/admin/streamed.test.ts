import { expect, test } from "bun:test";
import { paced, streamed } from "../../../../src/adapters/http/admin/files.ts";
import { besideLoad } from "../../../support/eventually.ts";

const KIB = 1024;

async function* chunksOf(count: number, size: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i++) yield new Uint8Array(size).fill(i);
}

async function timed(chunks: () => AsyncGenerator<Uint8Array>) {
  const startedAt = performance.now();
  const bytes = await new Response(streamed(chunks())).bytes();
  return { bytes, duration: performance.now() - startedAt };
}

test("a download has all bytes, and after every 128 KiB a pause of 2 ms, in which others have turns", async () => {
  const { bytes } = await timed(() => chunksOf(80, 32 * KIB));
  const { bytes: pacedBytes, duration } = await timed(() => paced(chunksOf(80, 32 * KIB)));
  expect(Buffer.compare(pacedBytes, bytes)).toBe(0);
  expect(duration).toBeGreaterThan(20 * 2 * 0.9);
});

test("a download in small chunks does not pause after each of them", async () => {
  const { duration } = await timed(() => paced(chunksOf(2_000, 8)));
  expect(duration).toBeLessThan(besideLoad(2_000));
});
