import { expect, test } from "bun:test";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { RequestBuffer } from "../../../src/adapters/history/buffer.ts";
import { BatchWriter } from "../../../src/adapters/history/format.ts";
import { searchRequests } from "../../../src/adapters/history/search.ts";
import { RequestFiles } from "../../../src/adapters/history/segments.ts";
import { type Batch, expiredSegments } from "../../../src/domain/requests.ts";
import { requestSegmentsConformance } from "../../conformance/request-segments.ts";
import { states } from "../../support/markdown.ts";
import { temporaryDirectory } from "../../support/temporary.ts";
import { NOW, requestOf } from "./requests.ts";

const newPath = () => join(temporaryDirectory(), "petstore.db");

const batchOf = (requestId: string): Batch => {
  const writer = new BatchWriter(new ArrayBuffer(64 * 1024));
  writer.add(requestOf({ requestId }));
  return writer.take();
};

requestSegmentsConformance("a directory", () => {
  const path = newPath();
  return { store: new RequestFiles(path), other: new RequestFiles(path), refresh: () => {}, close: () => {} };
});

test("the directory stays as small as what is kept", async () => {
  const path = newPath();
  const segments = new RequestFiles(path);
  const buffer = new RequestBuffer(segments, "0a1b2c3d");
  const retention = { requests: 3_000, hours: 24 };
  for (let i = 0; i < 20_000; i++) {
    buffer.record(requestOf({ requestId: crypto.randomUUID(), at: NOW + i }));
    if (i % 1_000 === 999) {
      await buffer.write();
      await segments.delete(expiredSegments(await segments.list(), retention, NOW + i));
    }
  }
  const found = await searchRequests(segments, { limit: 10_000 }, retention, NOW + 20_000);
  expect(found.map(({ at }) => at - NOW)).toEqual(Array.from({ length: 3_000 }, (_, i) => 19_999 - i));
  const sizes = readdirSync(`${path}.requests`).map((name) => statSync(join(`${path}.requests`, name)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(600_000);
  await segments.delete(expiredSegments(await segments.list(), { requests: 0, hours: 24 }, NOW));
  expect(readdirSync(`${path}.requests`)).toEqual([]);
});

test("a file that has become shorter begins anew", async () => {
  const path = newPath();
  const id = `${NOW}-0a1b2c3d-1`;
  for (const share of [0, 0.5, 0.9]) {
    const segments = new RequestFiles(path);
    const [one, two] = ["one", "two"].map(batchOf) as [Batch, Batch];
    const length = await segments.append(id, await segments.append(id, 0, one), two);
    truncateSync(join(`${path}.requests`, id), Math.trunc(length * share));
    const three = batchOf("three");
    expect(await segments.append(id, length, three)).toBe(three.bytes.length);
    expect(await segments.read(id)).toEqual(Buffer.from(three.bytes));
    expect(await segments.list()).toMatchObject([{ id, count: 1 }]);
    await segments.delete([id]);
  }
});

test("a write that failed half-way leaves nothing, and none leaves a file open", async () => {
  states(
    "docs/monitoring.md",
    "It is a log, not data: a second of it is written at a time, without a sync, and a crash may lose that second.",
  );
  const path = newPath();
  const segments = new RequestFiles(path);
  const id = `${NOW}-0a1b2c3d-1`;
  const length = await segments.append(id, 0, batchOf("one"));
  appendFileSync(join(`${path}.requests`, id), Buffer.alloc(10_000, 1));
  const two = batchOf("two");
  expect(await segments.append(id, length, two)).toBe(length + two.bytes.length);
  expect(await segments.read(id)).toHaveLength(length + two.bytes.length);
  // Only Linux shows it.
  const openFiles = () =>
    readdirSync("/proc/self/fd").filter((name) => {
      const to = `/proc/self/fd/${name}`;
      return existsSync(to) && readlinkSync(to).startsWith(path);
    });
  if (existsSync("/proc/self/fd")) expect(openFiles()).toEqual([]);
});

test("what is no segment, or cannot be read, is passed over", async () => {
  const path = newPath();
  const segments = new RequestFiles(path);
  const buffer = new RequestBuffer(segments, "0a1b2c3d");
  buffer.record(requestOf());
  await buffer.write();
  writeFileSync(`${path}.requests/notes.txt`, "no segment");
  writeFileSync(`${path}.requests/1-00000000-1`, "no batch");
  writeFileSync(`${path}.requests/2-00000000-1`, "");
  mkdirSync(`${path}.requests/3-00000000-1`);
  const found = await searchRequests(segments, { limit: 10 }, { requests: 100, hours: 24 }, NOW);
  expect(found).toHaveLength(1);
  rmSync(`${path}.requests/3-00000000-1`, { recursive: true });
  await segments.delete(expiredSegments(await segments.list(), { requests: 100, hours: 24 }, NOW));
  expect(readdirSync(`${path}.requests`).sort()).toEqual([`${NOW}-0a1b2c3d-1`, "notes.txt"]);
});

test("while nothing can be written, the last requests wait, a bounded number, and are written once it works", async () => {
  states(
    "docs/monitoring.md",
    "requests are answered as ever;",
    "further ones are left out and counted in `petstore_request_history_dropped_total`.",
  );
  states("docs/monitoring.md", "the last ones wait in memory, up to 16 MB, and further ones are left out");
  const path = newPath();
  writeFileSync(`${path}.requests`, "in the place of the directory");
  const segments = new RequestFiles(path);
  const buffer = new RequestBuffer(segments, "0a1b2c3d");
  const [total, requestId] = [120_000, "x".repeat(128)];
  for (let i = 0; i < total; i++) buffer.record(requestOf({ requestId }));
  expect(await segments.list()).toEqual([]);
  await expect(buffer.write()).rejects.toMatchObject({ code: "service_unavailable" });
  expect(buffer.dropped).toBeGreaterThan(0);
  rmSync(`${path}.requests`);
  await buffer.write();
  await buffer.write();
  const written = (await segments.list()).reduce((sum, { count }) => sum + count, 0);
  expect(written).toBe(total - buffer.dropped);
  expect(written).toBeGreaterThan(80_000);
});
