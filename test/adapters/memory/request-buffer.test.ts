import { expect, test } from "bun:test";
import { RequestBuffer } from "../../../src/adapters/memory/request-buffer.ts";
import { MemoryRequestSegments } from "../../../src/adapters/memory/request-segments.ts";
import { PetstoreError } from "../../../src/domain/errors.ts";
import type { Batch } from "../../../src/domain/requests/batch-writer.ts";
import { searchRequests } from "../../../src/domain/requests/search.ts";
import { NOW, requestOf } from "../../domain/requests/requests.ts";

/** Segments that can be away, and know the buffers of all batches. */
class Segments extends MemoryRequestSegments {
  readonly buffers = new Set<ArrayBuffer>();
  isAway = false;

  override async append(id: string, length: number, batch: Batch): Promise<number> {
    this.buffers.add(batch.bytes.buffer);
    if (this.isAway) throw new PetstoreError("service_unavailable");
    return super.append(id, length, batch);
  }
}

test("requests that could not be written wait unchanged, while others are recorded", async () => {
  const segments = new Segments();
  const buffer = new RequestBuffer(segments, "0a1b2c3d");
  const count = 10_000;
  for (let i = 0; i < count; i++) {
    buffer.record(requestOf({ requestId: `r${i}`, at: NOW + i }));
    segments.isAway = i < count - 1;
    if (i % 1_000 === 0 || i === count - 1) await buffer.write().catch(() => {});
  }
  await buffer.write();
  const found = await searchRequests(segments, { limit: count }, { requests: count, hours: 24 }, NOW);
  expect(found.map(({ requestId }) => requestId)).toEqual(Array.from({ length: count }, (_, i) => `r${count - 1 - i}`));
});

test("batches that are written one by one share two buffers", async () => {
  const segments = new Segments();
  const buffer = new RequestBuffer(segments, "0a1b2c3d");
  for (let i = 0; i < 20; i++) {
    buffer.record(requestOf());
    await buffer.write();
  }
  expect(segments.buffers.size).toBe(2);
});

test("a bounded number of buffers waits for further batches", async () => {
  const segments = new Segments();
  const buffer = new RequestBuffer(segments, "0a1b2c3d");
  /** The buffers of batches that waited while the segments were away. */
  const buffersOfOutage = async () => {
    for (let i = 0; i < 140_000; i++) buffer.record(requestOf());
    segments.buffers.clear();
    await buffer.write();
    return new Set(segments.buffers);
  };
  const [first, second] = [await buffersOfOutage(), await buffersOfOutage()];
  expect(buffer.dropped).toBe(0);
  expect(first.size).toBeGreaterThan(50);
  expect(first.intersection(second).size).toBe(32);
});
