import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { UsageBuffer } from "../../src/adapters/memory/usage.ts";
import type { Awaitable } from "../../src/domain/awaitable.ts";
import { type Answered, lengthOf, planOf, resolutions, startOf, TOTAL } from "../../src/domain/usage/counting.ts";
import {
  MOST_POINTS,
  momentsOf,
  overview,
  type Ranking,
  topKeys,
  type UsageStore,
} from "../../src/domain/usage/reading.ts";
import { inOrder, keyIds, latencyOf, momentsFrom, requestsFrom, usageOf } from "../domain/usage/requests.ts";
import { eventuallyHolds } from "../support/holds.ts";
import { states } from "../support/markdown.ts";
import type { Opened } from "./opened.ts";

const START = Date.UTC(2026, 11, 2, 10) + 250;
const APART = 2_000 * lengthOf.day;
const DAY = 86_400_000;
/** How long docs/administration.md promises to keep usage, in ms. */
const retention = { minute: 30 * DAY, hour: 90 * DAY, day: 400 * DAY };

/** What is read of many moments, of so many at a time as an operation asks for at most. */
async function inParts<Row>(moments: number[], read: (some: number[]) => Awaitable<Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for (let from = 0; from < moments.length; from += MOST_POINTS) {
    rows.push(...(await read(moments.slice(from, from + MOST_POINTS))));
  }
  return rows;
}

function answered(at: number, keyId: string | undefined = "key_1"): Answered {
  return { keyId, operation: "listPets", method: "GET", status: 200, duration: 1, at, decision: undefined };
}

/** Writes down what a log has counted. */
async function writeAll(log: UsageBuffer, store: UsageStore): Promise<void> {
  log.rotate();
  for (let write = log.next(); write !== undefined; write = log.next()) {
    await store.add(write);
    log.written();
  }
}

/** What every place does that keeps use. */
export function usageStoreConformance(name: string, open: () => Awaitable<Opened<UsageStore>>): void {
  describe(`${name} as a place for use`, () => {
    let opened: Awaited<ReturnType<typeof open>>;
    /** A stretch of time that no other test of the suite uses. */
    let start = START;
    let logs = 0;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());
    const newLog = () => new UsageBuffer(`writer ${++logs}`);

    test("returns for minutes, hours and days exactly what several nodes recorded, in any order", async () => {
      states("docs/development/stores.md", "Each process numbers its writes, so a retry never counts twice.");
      await eventuallyHolds(
        fc.asyncProperty(
          requestsFrom(0),
          fc.infiniteStream(fc.record({ node: fc.nat(1), isWritten: fc.boolean() })),
          async (timeless, choices) => {
            start += APART;
            const requests = timeless.map((request) => ({ ...request, at: start + request.at }));
            const nodes = [
              { log: newLog(), store: opened.store },
              { log: newLog(), store: opened.other },
            ];
            for (const request of requests) {
              const { node, isWritten } = choices.next().value;
              const { log, store } = nodes[node] ?? { log: newLog(), store: opened.store };
              log.record(request);
              if (isWritten) await writeAll(log, store);
            }
            for (const { log, store } of nodes) await writeAll(log, store);
            await opened.refresh();
            for (const resolution of resolutions) {
              const moments = momentsFrom(start, resolution);
              for (const who of [TOTAL, ...keyIds]) {
                const stored = await inParts(moments, (some) => opened.other.usageOf(who, { [resolution]: some }));
                expect(inOrder(stored)).toEqual(usageOf(requests, who, resolution));
              }
              const latency = await inParts(moments, (some) => opened.store.latency({ [resolution]: some }));
              expect(inOrder(latency)).toEqual(latencyOf(requests, resolution));
            }
          },
        ),
        15,
      );
    });

    test("returns only the requested periods", async () => {
      start += APART;
      const log = newLog();
      for (let i = 0; i < 5; i++) log.record(answered(start + i * lengthOf.hour));
      await writeAll(log, opened.store);
      const hours = [1, 3, 9].map((i) => startOf("hour", start + i * lengthOf.hour));
      const rows = await opened.store.usageOf("key_1", { hour: hours });
      expect(inOrder(rows).map(({ at }) => at)).toEqual(hours.slice(0, 2));
      expect(await opened.store.usageOf("key_1", { hour: [] })).toEqual([]);
      expect(await opened.store.usageOf("key_2", { hour: hours })).toEqual([]);
    });

    test("an overview has the usage and latency of all clients in the last hour, day and month", async () => {
      start = startOf("day", start + APART) + lengthOf.day / 2 + 250;
      const log = newLog();
      const ago = (milliseconds: number, more: Partial<Answered> = {}) =>
        log.record({ ...answered(start - milliseconds), ...more });
      ago(0);
      ago(lengthOf.minute, { status: 429, keyId: "key_2" });
      ago(30 * lengthOf.minute, { status: 500, duration: 100 });
      ago(5 * lengthOf.hour, { keyId: undefined, status: 401 });
      for (let i = 0; i < 96; i++) ago(3 * lengthOf.day);
      for (let i = 0; i < 5; i++) ago(100 * lengthOf.day, { duration: 1_000 });
      await writeAll(log, opened.store);
      const { live, hour, day, month, ever } = await overview(opened.store, start);
      expect([live, hour, day, month].map(({ points }) => points.length)).toEqual([2, 60, 24, 30]);
      expect([live, hour, day, month].map(({ sum }) => sum.requests)).toEqual([2, 3, 4, 100]);
      expect(ever.requests).toBe(105);
      expect(hour.sum.byClass).toEqual({ "2xx": 1, "4xx": 0, "429": 1, "5xx": 1 });
      expect(day.points.at(-6)?.byClass["4xx"]).toBe(1);
      expect(month.latency.p95).toBeWithin(0.8, 1.25);
      expect(month.latency.p99).toBeLessThan(125);
      expect(hour.latency.p99).toBeWithin(80, 125);
      expect(live.latency.p99).toBeWithin(0.8, 1.25);
      expect((await overview(opened.other, start - 200 * lengthOf.day)).month.latency.p50).toBeUndefined();
    });

    test("the top keys of a range have the most requests in it, or the most refusals, with exact counts", async () => {
      start = startOf("day", start + APART);
      const log = newLog();
      const send = (keyId: string, after: number, count: number, more: Partial<Answered> = {}) => {
        for (let i = 0; i < count; i++) log.record({ ...answered(start + after, keyId), ...more });
      };
      const { minute, hour, day } = lengthOf;
      send("key_a", 0, 3, { operation: "createPet", status: 201 });
      send("key_a", 26 * hour, 4);
      send("key_b", 25 * hour, 5, { status: 429 });
      send("key_b", 26 * hour + 30 * minute, 1, { status: 404 });
      send("key_c", 3 * day, 6, { status: 500 });
      for (const key of ["key_a", "key_d"]) send(key, 26 * hour + minute, 50, { simulation: { delay: 1 } });
      await writeAll(log, opened.store);
      await opened.refresh();
      const top = async (resolution: "minute" | "hour" | "day", from: number, to: number, limit = 9) => {
        const range = momentsOf({ resolution, from: start + from, to: start + to });
        if ("problem" in range) throw new Error(range.problem);
        const ids = async (ranking: "requests" | "refusals") =>
          (await topKeys(opened.other, { resolution, ...range }, ranking, limit)).map(({ keyId, sum }) => [
            keyId,
            ...sum.counts,
            sum.bans,
          ]);
        return { requests: await ids("requests"), refusals: await ids("refusals") };
      };
      const b = ["key_b", 0, 1, 5, 0, 0];
      expect(await top("day", 0, 3 * day)).toEqual({
        requests: [["key_a", 7, 0, 0, 0, 0], b, ["key_c", 0, 0, 0, 6, 0]],
        refusals: [b],
      });
      expect((await top("day", 0, 3 * day, 1)).requests).toEqual([["key_a", 7, 0, 0, 0, 0]]);
      expect(await top("hour", 25 * hour, 26 * hour)).toEqual({
        requests: [b, ["key_a", 4, 0, 0, 0, 0]],
        refusals: [b],
      });
      expect(await top("minute", 25 * hour + minute, 26 * hour + 30 * minute)).toEqual({
        requests: [
          ["key_a", 4, 0, 0, 0, 0],
          ["key_b", 0, 1, 0, 0, 0],
        ],
        refusals: [],
      });
      expect((await top("hour", 3 * hour, 9 * hour)).requests).toEqual([]);
    });

    test("of more keys than a ranking has, the busiest are found", async () => {
      start = startOf("day", start + APART);
      const log = newLog();
      for (let key = 0; key < 250; key++) {
        for (let i = 0; i < (key % 50 === 0 ? 4 + key / 50 : 2); i++) log.record(answered(start, `key_${key}`));
      }
      await writeAll(log, opened.store);
      const found = await topKeys(opened.other, { resolution: "hour", moments: [start] }, "requests", 3);
      expect(found.map(({ keyId, sum: { requests } }) => [keyId, requests])).toEqual([
        ["key_200", 8],
        ["key_150", 7],
        ["key_100", 6],
      ]);
    });

    test("a key that is busy in several hours is found behind those that are busier in one", async () => {
      states("docs/administration.md", "Counts of the busiest keys are exact.");
      start = startOf("day", start + APART);
      const log = newLog();
      for (const [after, prefix, count] of [
        [0, "early", 6],
        [lengthOf.hour, "late", 7],
      ] as const) {
        for (let key = 0; key < 60; key++) {
          for (let i = 0; i < count; i++) log.record(answered(start + after, `key_${prefix}${key}`));
        }
        for (let i = 0; i < 5; i++) log.record(answered(start + after, "key_both"));
      }
      await writeAll(log, opened.store);
      const range = { resolution: "hour" as const, moments: [start, start + lengthOf.hour] };
      const found = await topKeys(opened.other, range, "requests", 2);
      expect(found.map(({ sum: { requests } }) => requests)).toEqual([10, 7]);
      expect(found[0]?.keyId).toBe("key_both");
    });

    test("a key that others are far ahead of is found once it is the busiest", async () => {
      start = startOf("day", start + APART);
      const log = newLog();
      for (let key = 0; key < 150; key++) {
        for (let i = 0; i < (key === 149 ? 1 : 3); i++) log.record(answered(start, `key_${key}`));
      }
      log.record({ ...answered(start, "key_refused"), status: 429 });
      await writeAll(log, opened.store);
      await opened.store.prune(start + lengthOf.hour, 500);
      const busiest = async (by: Ranking = "requests") =>
        (await topKeys(opened.other, { resolution: "hour", moments: [start] }, by, 1)).map(
          ({ keyId, sum: { requests } }) => [keyId, requests],
        );
      expect(await busiest()).toEqual([[expect.not.stringMatching("key_149"), 3]]);
      // More requests of others do not take its place among the refusals.
      expect(await busiest("refusals")).toEqual([["key_refused", 1]]);
      for (let i = 0; i < 5; i++) log.record(answered(start, "key_149"));
      await writeAll(log, opened.other);
      await opened.refresh();
      expect(await busiest()).toEqual([["key_149", 6]]);
      expect((await opened.store.busiest("requests", "hour", [start], 100)).length).toBe(100);
    });

    test("usage by plan is that of the plan at the time of the request", async () => {
      start = startOf("day", start + APART);
      const log = newLog();
      log.record({ ...answered(start), plan: "free" });
      log.record({ ...answered(start, "key_1"), plan: "pro", status: 429 });
      log.record({ ...answered(start + lengthOf.hour), plan: "pro" });
      log.record({ ...answered(start), keyId: undefined, status: 401 });
      await writeAll(log, opened.store);
      const rows = await opened.other.usageOfPlans("hour", [start, start + lengthOf.hour, start + lengthOf.day]);
      const found = rows.map(({ at, who, counts }) => [(at - start) / lengthOf.hour, planOf(who), ...counts]);
      expect(found.sort()).toEqual([
        [0, "free", 1, 0, 0, 0, 0],
        [0, "none", 0, 1, 0, 0, 0],
        [0, "pro", 0, 0, 1, 0, 0],
        [1, "pro", 1, 0, 0, 0, 0],
      ]);
      expect(await opened.other.usageOfPlans("minute", [])).toEqual([]);
    });

    test("adds a write once, however often it is repeated", async () => {
      start += APART;
      const log = newLog();
      log.record(answered(start));
      log.rotate();
      const write = log.next();
      if (write === undefined) throw new Error("nothing to write");
      await opened.store.add(write);
      await opened.other.add(write);
      log.written();
      log.record(answered(start));
      await writeAll(log, opened.store);
      await opened.store.add(write);
      const [row] = await opened.store.usageOf(TOTAL, { day: [startOf("day", start)] });
      expect(row?.counts).toEqual([2, 0, 0, 0, 0]);
      const [latency] = await opened.store.latency({ minute: [startOf("minute", start)] });
      expect(latency?.count).toBe(2);
    });

    test("remembers the last write of a process for 30 days", async () => {
      start += APART;
      const log = newLog();
      log.record(answered(start));
      log.rotate();
      const write = log.next();
      if (write === undefined) throw new Error("nothing to write");
      const requests = async () => {
        await opened.store.add(write);
        const [row] = await opened.store.usageOf(TOTAL, { day: [startOf("day", start)] });
        return row?.counts[0];
      };
      expect(await requests()).toBe(1);
      for (let gone = 1; gone > 0; ) gone = await opened.store.prune(write.at + 30 * DAY, 500);
      expect(await requests()).toBe(1);
      for (let gone = 1; gone > 0; ) gone = await opened.store.prune(write.at + 30 * DAY + 1, 500);
      expect(await requests()).toBe(2);
    });

    test("adds all concurrent writes", async () => {
      start += APART;
      const nodes = Array.from({ length: 8 }, (_, i) => ({
        log: newLog(),
        store: i % 2 ? opened.store : opened.other,
      }));
      await Promise.all(
        nodes.map(async ({ log, store }) => {
          for (let i = 0; i < 10; i++) {
            for (const keyId of keyIds) log.record(answered(start + i * 20_000, keyId));
            await writeAll(log, store);
          }
        }),
      );
      const day = [startOf("day", start)];
      expect((await opened.store.usageOf(TOTAL, { day: day })).map(({ counts }) => counts[0])).toEqual([240]);
      expect((await opened.store.usageOf("key_2", { day: day })).map(({ counts }) => counts[0])).toEqual([80]);
    });

    test("deletes usage older than the retention, in batches, and nothing else", async () => {
      start += APART;
      const now = start + retention.day;
      const log = newLog();
      // In each resolution one request that is just kept, and one that just is not.
      const ages = resolutions.flatMap((resolution) => [
        retention[resolution],
        retention[resolution] + lengthOf[resolution],
      ]);
      for (const age of ages) log.record(answered(startOf("day", now) - age));
      await writeAll(log, opened.store);
      const at = startOf("day", now);
      let portions = 0;
      for (let gone = 1; gone > 0; portions++) {
        gone = await opened.store.prune(at, 2);
        expect(gone).toBeLessThanOrEqual(2 * 7);
      }
      expect(portions).toBeGreaterThan(2);
      for (const resolution of resolutions) {
        const moments = [...new Set(ages.map((age) => startOf(resolution, at - age)))].sort((a, b) => a - b);
        const kept = moments.filter((moment) => moment >= at - retention[resolution]);
        expect(kept.length).toBeGreaterThan(0);
        expect(kept.length).toBeLessThan(moments.length);
        const stored = await opened.other.usageOf(TOTAL, { [resolution]: moments });
        expect(inOrder(stored).map((row) => row.at)).toEqual(kept);
        const latency = await opened.other.latency({ [resolution]: moments });
        expect(inOrder(latency).map((row) => row.at)).toEqual(kept);
        if (resolution === "minute") continue;
        const busiest = (starts: number[]) => opened.other.busiest("requests", resolution, starts, 1);
        expect(await busiest(moments.filter((moment) => !kept.includes(moment)))).toEqual([]);
        expect(await busiest(kept)).not.toEqual([]);
      }
    });
  });
}
