import { expect, test } from "bun:test";
import fc from "fast-check";
import { UsageBuffer } from "../../../src/adapters/memory/usage.ts";
import {
  type Answered,
  type LatencyRow,
  resolutions,
  TOTAL,
  totalOf,
  type UsageRow,
} from "../../../src/domain/usage/counting.ts";
import type { UsageWrite } from "../../../src/domain/usage/reading.ts";
import { inOrder, keyIds, latencyOf, requestsFrom, usageOf } from "../../domain/usage/requests.ts";
import { holds } from "../../support/holds.ts";

const START = Date.UTC(2026, 11, 2, 10) + 250;

function takenFrom(log: UsageBuffer): UsageWrite[] {
  const writes: UsageWrite[] = [];
  log.rotate();
  for (let write = log.next(); write !== undefined; write = log.next()) {
    writes.push(write);
    log.written();
  }
  return writes;
}

/** The rows with those of the same name added up. */
function addedUp(rows: UsageRow[]): UsageRow[] {
  const sums = new Map<string, UsageRow>();
  for (const row of rows) {
    const name = `${row.resolution} ${row.at} ${row.who} ${row.operation}`;
    const counts = row.counts.map((count, i) => count + (sums.get(name)?.counts[i] ?? 0));
    sums.set(name, { ...row, counts });
  }
  return inOrder([...sums.values()]);
}

function latencyAddedUp(rows: LatencyRow[]): LatencyRow[] {
  const sums = new Map<string, LatencyRow>();
  for (const row of rows) {
    const name = `${row.at} ${row.bucket}`;
    sums.set(name, { ...row, count: row.count + (sums.get(name)?.count ?? 0) });
  }
  return inOrder([...sums.values()]);
}

test("the writes sum up to what was recorded, in any order and after any number of rotations", () => {
  holds(
    fc.property(requestsFrom(START), fc.infiniteStream(fc.boolean()), (requests, isTakenOut) => {
      const log = new UsageBuffer("a");
      const writes: UsageWrite[] = [];
      for (const request of requests) {
        log.record(request);
        if (isTakenOut.next().value) writes.push(...takenFrom(log));
      }
      writes.push(...takenFrom(log));
      expect(takenFrom(log)).toEqual([]);
      expect(writes.map(({ number }) => number)).toEqual(writes.map((_, i) => i + 1));
      for (const resolution of resolutions) {
        const ofIts = <Row extends { resolution: string }>(rows: Row[]) =>
          rows.filter((row) => row.resolution === resolution);
        const rows = writes.flatMap(({ usage }) => ofIts(usage));
        for (const who of [TOTAL, ...keyIds]) {
          expect(addedUp(rows.filter((row) => row.who === who))).toEqual(usageOf(requests, who, resolution));
        }
        expect(latencyAddedUp(writes.flatMap(({ latency }) => ofIts(latency)))).toEqual(
          latencyOf(requests, resolution),
        );
      }
    }),
    100,
  );
});

test("a pending write counts until it is written, and is the same at each attempt", () => {
  holds(
    fc.property(requestsFrom(START), fc.nat(), (requests, i) => {
      const log = new UsageBuffer("a");
      const first = requests.slice(0, i % (requests.length + 1));
      for (const request of first) log.record(request);
      log.rotate();
      const write = log.next();
      for (const request of requests.slice(first.length)) log.record(request);
      log.rotate();
      if (write !== undefined) expect(log.next()).toEqual(write);
      for (const keyId of keyIds) {
        expect(addedUp(log.pendingOf(keyId, "hour"))).toEqual(usageOf(requests, keyId, "hour"));
      }
      log.written();
      const written = (keyId: string) =>
        (write?.usage ?? []).filter((row) => row.who === keyId && row.resolution === "hour");
      if (write === undefined) return;
      for (const keyId of keyIds) {
        const all = [...written(keyId), ...log.pendingOf(keyId, "hour")];
        expect(addedUp(all)).toEqual(usageOf(requests, keyId, "hour"));
      }
    }),
    100,
  );
});

test("while nothing can be written, the last hour is kept by minute and older usage by hour", () => {
  const log = new UsageBuffer("a");
  const requests = Array.from({ length: 3 * 1_440 }, (_, i): Answered => {
    const at = START + i * 60_000;
    return { keyId: "key_1", operation: "listPets", method: "GET", status: 200, duration: 1, at, decision: undefined };
  });
  for (const request of requests) log.record(request);
  const writes = takenFrom(log);
  expect(writes.length).toBeLessThan(60 + 3 * 24 + 2);
  const rows = writes.flatMap(({ usage }) => usage).filter(({ who }) => who === "key_1");
  const of = (resolution: string) => addedUp(rows.filter((row) => row.resolution === resolution));
  expect(of("hour")).toEqual(usageOf(requests, "key_1", "hour"));
  expect(of("day")).toEqual(usageOf(requests, "key_1", "day"));
  expect(of("minute").slice(-60)).toEqual(usageOf(requests, "key_1", "minute").slice(-60));
});

test("a thousand keys are split into several writes, which contain all of them", () => {
  const log = new UsageBuffer("a");
  for (let i = 0; i < 1_000; i++) {
    const keyId = `key_${i}`;
    log.record({ keyId, operation: "other", method: "GET", status: 404, duration: 1, at: START, decision: undefined });
  }
  const writes = takenFrom(log);
  expect(writes.length).toBeGreaterThan(1);
  const whos = new Set(writes.flatMap(({ usage }) => usage.map(({ who }) => who)));
  expect(whos.size).toBe(1_000 + [TOTAL, totalOf("none")].length);
  const minutes = writes.flatMap(({ latency }) => latency.filter(({ resolution }) => resolution === "minute"));
  expect(latencyAddedUp(minutes).map(({ count }) => count)).toEqual([1_000]);
});
