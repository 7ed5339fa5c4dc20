import { expect, test } from "bun:test";
import { RequestBuffer } from "../../../src/adapters/history/buffer.ts";
import { searchRequests } from "../../../src/adapters/history/search.ts";
import { MemoryRequestSegments } from "../../../src/adapters/history/segments.ts";
import { PetstoreError } from "../../../src/domain/errors.ts";
import type { Batch } from "../../../src/domain/requests.ts";
import { states } from "../../support/markdown.ts";
import { NOW, requestOf } from "./requests.ts";

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
    segments.isAway = true;
    for (let i = 0; i < 140_000; i++) buffer.record(requestOf());
    await buffer.write().catch(() => {});
    segments.isAway = false;
    segments.buffers.clear();
    await buffer.write();
    return new Set(segments.buffers);
  };
  const [first, second] = [await buffersOfOutage(), await buffersOfOutage()];
  expect(buffer.dropped).toBe(0);
  expect(first.size).toBeGreaterThan(50);
  expect(first.intersection(second).size).toBe(8);
});

test("eight full batches are written at once, also after an outage", async () => {
  const segments = new Segments();
  const buffer = new RequestBuffer(segments, "0a1b2c3d");
  const countAfter = async (requests: number) => {
    for (let i = 0; i < requests; i++) buffer.record(requestOf());
    await new Promise(setImmediate);
    return (await segments.list()).reduce((sum, { count }) => sum + count, 0);
  };
  expect(await countAfter(8_000)).toBe(0);
  const written = await countAfter(12_000);
  expect(written).toBeGreaterThan(8_000);
  segments.isAway = true;
  expect(await countAfter(40_000)).toBe(written);
  segments.isAway = false;
  await buffer.write();
  expect(await countAfter(0)).toBeGreaterThan(58_000);
  expect(await countAfter(20_000)).toBeGreaterThan(66_000);
  expect(buffer.dropped).toBe(0);
});

test("a segment is as long as its store wants it", async () => {
  const segments = new Segments();
  const buffer = new RequestBuffer(segments, "0a1b2c3d");
  for (let i = 0; i < 10_000; i++) {
    buffer.record(requestOf({ requestId: `r${i}` }));
    if (i % 100 === 99) await buffer.write();
  }
  const sizes = await Promise.all(
    (await segments.list()).map(async ({ id }) => (await segments.read(id))?.length ?? 0),
  );
  expect(Math.max(...sizes)).toBeLessThanOrEqual(segments.segmentSize);
  expect(Math.min(...sizes.slice(0, -1))).toBeGreaterThan(segments.segmentSize * 0.8);
});

test("a segment covers an hour at most", async () => {
  const segments = new Segments();
  const buffer = new RequestBuffer(segments, "0a1b2c3d");
  for (const at of [NOW, NOW + 3_599_999, NOW + 3_600_000]) {
    buffer.record(requestOf({ at }));
    await buffer.write();
  }
  const oldest = (await segments.list()).map((segment) => segment.oldest);
  expect(oldest.sort()).toEqual([NOW, NOW + 3_600_000]);
});

test("all errors and refusals are kept, and the given share of the other requests", async () => {
  states(
    "docs/settings.md",
    "The share of the requests without an error that it keeps, from 0 to 1, such as 0.01. It keeps all errors and refusals.",
  );
  states(
    "docs/monitoring.md",
    "keeps all errors and refusals (statuses from 400 on), and of the other requests one in a hundred, chosen at random.",
  );
  const statuses = [200, 201, 204, 304, 400, 401, 404, 429, 500, 503];
  const kept = async (share: number) => {
    const segments = new Segments();
    const buffer = new RequestBuffer(segments, "0a1b2c3d", share);
    for (let i = 0; i < 20_000; i++) buffer.record(requestOf({ status: statuses[i % statuses.length] ?? 0 }));
    // The first writes full batches, the second the rest.
    for (let i = 0; i < 2; i++) await buffer.write();
    const found = await searchRequests(segments, { limit: 20_000 }, { requests: 20_000, hours: 24 }, NOW);
    const errors = found.filter(({ status }) => status >= 400).length;
    expect(buffer.dropped).toBe(0);
    return { errors, others: found.length - errors };
  };
  expect(await kept(0)).toEqual({ errors: 12_000, others: 0 });
  expect(await kept(1)).toEqual({ errors: 12_000, others: 8_000 });
  const { errors, others } = await kept(0.1);
  expect(errors).toBe(12_000);
  // 800 on average, with a standard deviation of 27.
  expect(others).toBeWithin(800 - 270, 800 + 270);
});
