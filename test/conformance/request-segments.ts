import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { BatchWriter, summaryOf } from "../../src/adapters/history/format.ts";
import { searchRequests } from "../../src/adapters/history/search.ts";
import type { Awaitable } from "../../src/domain/awaitable.ts";
import type { Batch, RequestSegments } from "../../src/domain/requests.ts";
import { NOW, requestOf, written } from "../adapters/history/requests.ts";
import { states } from "../support/markdown.ts";
import type { Opened } from "./opened.ts";

const ID = `${NOW}-0a1b2c3d-1`;
const ANOTHER = `${NOW}-0a1b2c3d-2`;

function batchOf(requestIds: string[], at = NOW): Batch {
  const writer = new BatchWriter(new ArrayBuffer(64 * 1024));
  for (const [i, requestId] of requestIds.entries()) writer.add(requestOf({ requestId, at: at + i }));
  return writer.take();
}

/** What every place does that keeps the request history. */
export function requestSegmentsConformance(name: string, open: () => Awaitable<Opened<RequestSegments>>): void {
  describe(`${name} as a place for the request history`, () => {
    let opened: Opened<RequestSegments>;
    let store: RequestSegments;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());

    test("is empty at first", async () => {
      expect(await store.list()).toEqual([]);
      expect(await store.read(ID)).toBeUndefined();
      await store.delete([ID]);
    });

    test("appends batches, and knows their number and times, in other processes too", async () => {
      const [one, two, older] = [batchOf(["a", "b"]), batchOf(["c"], NOW + 5), batchOf(["d", "e"], NOW - 7)];
      const length = await store.append(ID, 0, one);
      expect(length).toBe(one.bytes.length);
      for (const each of [store, opened.other]) expect((await each.list()).map(({ count }) => count)).toEqual([2]);
      const longer = length + two.bytes.length;
      expect(await store.append(ID, length, two)).toBe(longer);
      expect(await store.append(ID, longer, older)).toBe(longer + older.bytes.length);
      await store.append(ANOTHER, 0, two);
      for (const { list, read } of [store, opened.other].map((each) => ({
        list: () => each.list(),
        read: () => each.read(ID),
      }))) {
        const bytes = new Uint8Array((await read()) ?? []);
        expect(bytes).toEqual(new Uint8Array([...one.bytes, ...two.bytes, ...older.bytes]));
        const summaries = (await list()).map(({ id, count, oldest, newest }) => ({ id, count, oldest, newest }));
        expect(summaries).toHaveLength(2);
        expect(summaries).toContainEqual({ id: ID, count: 5, oldest: NOW - 7, newest: NOW + 5 });
        expect(summaries).toContainEqual(summaryOf(ANOTHER, two.bytes));
      }
    });

    test("appends a batch once when a write is repeated, because its response was lost", async () => {
      states(
        "docs/development/stores.md",
        "A write says how long the segment is, so that a repeated one adds nothing.",
      );
      const [one, two] = [batchOf(["a"]), batchOf(["b"])];
      const length = await store.append(ID, 0, one);
      const longer = await store.append(ID, length, two);
      expect(await store.append(ID, length, two)).toBe(longer);
      expect((await store.read(ID))?.length).toBe(longer);
      expect(summaryOf(ID, (await store.read(ID)) ?? new Uint8Array()).count).toBe(2);
    });

    test("begins a segment anew that was deleted meanwhile", async () => {
      const batch = batchOf(["a"]);
      const length = await store.append(ID, 0, batch);
      await opened.other.delete([ID]);
      expect(await store.read(ID)).toBeUndefined();
      expect(await store.append(ID, length, batch)).toBe(length);
      expect(summaryOf(ID, (await store.read(ID)) ?? new Uint8Array()).count).toBe(1);
    });

    test("has what several processes write at the same time", async () => {
      states(
        "docs/development/stores.md",
        "A segment has one writer, so nodes and workers need no lock; a search reads segment by segment, from the newest.",
      );
      const all = Array.from({ length: 200 }, (_, i) => requestOf({ requestId: `r${i}`, at: NOW - i }));
      await Promise.all([written(store, all.slice(0, 100), 30), written(opened.other, all.slice(100), 30)]);
      const found = await searchRequests(store, { limit: 1_000 }, { requests: 1_000, hours: 1 }, NOW);
      expect(found.map(({ requestId }) => requestId)).toEqual(all.map(({ requestId }) => requestId));
    });
  });
}
