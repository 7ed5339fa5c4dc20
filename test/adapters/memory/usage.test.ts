import { describe, expect, test } from "bun:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { KeyUsage, PastHours, UsageBuffer } from "../../../src/adapters/memory/usage.ts";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { sqliteUsage } from "../../../src/adapters/sqlite/usage.ts";
import {
  type Answered,
  type LatencyRow,
  resolutions,
  TOTAL,
  totalOf,
  type UsageRow,
} from "../../../src/domain/usage/counting.ts";
import { Point, type UsageStore, type UsageWrite } from "../../../src/domain/usage/reading.ts";
import { readConfig } from "../../../src/wiring/config.ts";
import { openStores } from "../../../src/wiring/stores.ts";
import { inOrder, keyIds, latencyOf, requestsFrom, usageOf } from "../../domain/usage/requests.ts";
import { eventuallyHolds, holds } from "../../support/holds.ts";
import { states } from "../../support/markdown.ts";
import { newStore } from "../../support/store.ts";
import { temporaryFile } from "../sqlite/temporary.ts";

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
  states(
    "docs/upgrading.md",
    "are in use | the same | kept in memory, by the hour if older than an hour; stored once there is space |",
  );
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

const MOST_USERS_OF_USAGE = 1_000;
const MINUTE = 60_000;

/** A request that was answered at this time, in Unix ms. */
const answeredAt = (at: number): Answered => ({
  keyId: "key_1",
  operation: "listPets",
  method: "GET",
  status: 200,
  duration: 1,
  at,
  decision: undefined,
});

test("usage that waited for hours is written once", () => {
  const buffer = new UsageBuffer("writer");
  for (let minute = 0; minute < 200; minute++) buffer.record(answeredAt(minute * MINUTE));
  const written = () => {
    buffer.rotate();
    let requests = 0;
    for (let write = buffer.next(); write !== undefined; write = buffer.next()) {
      for (const { resolution, who, counts } of write.usage) {
        if (resolution === "day" && who === "key_1") requests += counts[0] ?? 0;
      }
      buffer.written();
    }
    return requests;
  };
  expect(written()).toBe(200);
  expect(written()).toBe(0);
});

test("while a write of usage is pending, no further one is made", () => {
  const buffer = new UsageBuffer("writer");
  const record = () => buffer.record(answeredAt(0));
  record();
  buffer.rotate();
  record();
  buffer.rotate();
  expect(buffer.rotations).toBe(1);
  expect(buffer.next()?.number).toBe(1);
  buffer.written();
  expect(buffer.next()).toBeUndefined();
  buffer.rotate();
  expect(buffer.next()?.number).toBe(2);
});

describe("past hours", () => {
  const pointAt = (at: number) => new Point(at);
  const entry = { end: 100, points: [pointAt(1)], readAt: 1_000 };

  test("are kept for an hour, also when another hour has ended", () => {
    const hours = new PastHours();
    hours.set("key_1", entry);
    expect(hours.get("key_1", 100, 1_000)).toEqual(entry);
    expect(hours.get("key_1", 101, 1_000)).toEqual(entry);
    expect(hours.get("key_1", 100, 1_000 + 60 * MINUTE - 1)).toEqual(entry);
    expect(hours.get("key_1", 100, 1_000 + 60 * MINUTE)).toBeUndefined();
  });

  test("are not those of an earlier end, another key or a later read", () => {
    const hours = new PastHours();
    hours.set("key_1", entry);
    expect(hours.get("key_1", 99, 1_000)).toBeUndefined();
    expect(hours.get("key_2", 100, 1_000)).toBeUndefined();
    expect(hours.get("key_1", 100, 999)).toBeUndefined();
  });

  test("are kept for the thousand keys that were read last", () => {
    const hours = new PastHours();
    for (let i = 0; i < MOST_USERS_OF_USAGE; i++) hours.set(`key_${i}`, entry);
    hours.set("key_0", entry);
    hours.set("key_new", entry);
    expect(hours.get("key_0", 100, 1_000)).toEqual(entry);
    expect(hours.get("key_1", 100, 1_000)).toBeUndefined();
    expect(hours.get("key_2", 100, 1_000)).toEqual(entry);
  });
});

const LAST_MINUTE = Date.UTC(2026, 11, 2, 10, 59);

/** What happens after so many ms: requests are made, all that was counted is written, or usage is read. */
const step = fc.record({
  wait: fc.oneof(fc.nat(2_000), fc.nat(90_000), fc.nat(4_000_000)),
  event: fc.constantFrom("request", "write", "read"),
});

test("what is kept of past hours is what the store and the log have, whenever requests are written", async () => {
  const steps = fc.array(step, { minLength: 1, maxLength: 60, size: "max" });
  const store = await newStore();
  const stores = await openStores(readConfig({ DATABASE_URL: store.url }), () => {});
  let run = 0;
  await eventuallyHolds(
    fc.asyncProperty(steps, async (schedule) => {
      run += 1;
      const keyId = `key_${run}`;
      const log = new UsageBuffer(`writer_${run}`);
      const usage = new KeyUsage(log, stores.usage);
      let at = LAST_MINUTE;
      for (const { wait, event } of schedule) {
        at += wait;
        if (event === "request") log.record(requestAt(keyId, at));
        else if (event === "write") await writeAll(log, stores.usage);
        else expect(await hours(usage, keyId, at)).toEqual(await hours(new KeyUsage(log, stores.usage), keyId, at));
      }
    }),
    40,
  );
  await stores.close();
  await store.remove();
});

test("what another node wrote late of a past hour is there after an hour, however often the key asks", async () => {
  states("docs/usage.md", "or for an hour in past hours if that node could not write them at the time.");
  const store = await newStore();
  const stores = await openStores(readConfig({ DATABASE_URL: store.url }), () => {});
  const usage = new KeyUsage(new UsageBuffer("this"), stores.usage);
  const another = new UsageBuffer("another");
  const asked: number[] = [];
  for (let minutes = 0; minutes <= 60; minutes += 10) {
    asked.push(await countAt(usage, LAST_MINUTE + minutes * 60_000));
    if (minutes === 0) another.record(requestAt("key_1", LAST_MINUTE - 5 * 3_600_000));
    await writeAll(another, stores.usage);
  }
  expect(asked).toEqual([0, 0, 0, 0, 0, 0, 1]);
  await stores.close();
  await store.remove();
});

test("a request is counted once while its count is being written", async () => {
  const store = await newStore();
  const stores = await openStores(readConfig({ DATABASE_URL: store.url }), () => {});
  const log = new UsageBuffer("writer");
  const usage = new KeyUsage(log, stores.usage);
  for (let i = 0; i < 4; i += 1) log.record(requestAt("key_written", LAST_MINUTE));
  // So many keys that the last one is in the second write.
  for (let i = 0; i < 200; i += 1) log.record(requestAt(`key_${i}`, LAST_MINUTE));
  let isWritten = false;
  const written = writeAll(log, stores.usage).finally(() => {
    isWritten = true;
  });
  const seen = new Set<number>();
  // A commit and its sync take several turns of the event loop.
  while (!isWritten) {
    const points = await hours(usage, "key_written", LAST_MINUTE);
    seen.add(points.reduce((sum, { requests }) => sum + requests, 0));
    await nextTurn();
  }
  await written;
  expect([...seen]).toEqual([4]);
  await stores.close();
  await store.remove();
});

test("a past hour has the requests that another process writes up to half a minute after its end", async () => {
  await using store = await openStore();
  const [usage, other] = [new KeyUsage(new UsageBuffer("writer"), store.usage), new UsageBuffer("other")];
  const end = LAST_MINUTE + 60_000;
  other.record(requestAt("key_1", end - 1));
  for (const later of [1_000, 29_999]) expect(await countAt(usage, end + later)).toBe(0);
  await writeAll(other, store.usage);
  expect(await countAt(usage, end + 30_000)).toBe(1);
});

describe("a store that answers later", () => {
  /** The store as one that is a network away. `meanwhile` happens after it has read. */
  const remote = (usage: UsageStore, meanwhile: () => Promise<void>): UsageStore =>
    Object.assign(Object.create(usage), {
      usageOf: async (...wanted: Parameters<UsageStore["usageOf"]>) => {
        const rows = await usage.usageOf(...wanted);
        await meanwhile();
        return rows;
      },
    });

  test("is read again if the requests of this process were written meanwhile", async () => {
    await using store = await openStore();
    const log = new UsageBuffer("writer");
    log.record(requestAt("key_1", LAST_MINUTE));
    expect(
      await countAt(
        new KeyUsage(
          log,
          remote(store.usage, () => writeAll(log, store.usage)),
        ),
        LAST_MINUTE,
      ),
    ).toBe(1);
  });

  test("is read once for concurrent requests, and again for the next one", async () => {
    await using store = await openStore();
    const log = new UsageBuffer("writer");
    let reads = 0;
    const usage = new KeyUsage(
      log,
      remote(store.usage, async () => {
        reads += 1;
      }),
    );
    expect(await Promise.all([countAt(usage, LAST_MINUTE), countAt(usage, LAST_MINUTE)])).toEqual([0, 0]);
    expect(reads).toBe(1);
    log.record(requestAt("key_1", LAST_MINUTE));
    expect(await countAt(usage, LAST_MINUTE)).toBe(1);
  });
});

async function openStore() {
  const store = await newStore();
  const stores = await openStores(readConfig({ DATABASE_URL: store.url }), () => {});
  const close = async () => {
    await stores.close();
    await store.remove();
  };
  return { usage: stores.usage, [Symbol.asyncDispose]: close };
}

async function countAt(usage: KeyUsage, now: number): Promise<number> {
  return (await hours(usage, "key_1", now)).reduce((sum, { requests }) => sum + requests, 0);
}

function requestAt(keyId: string, at: number) {
  return { keyId, operation: "listPets", method: "GET", status: 200, duration: 1, at, decision: undefined };
}

async function hours(usage: KeyUsage, keyId: string, now: number): Promise<Point[]> {
  const { past, recent } = await usage.lastDay(keyId, now);
  return [...past, ...recent];
}

async function writeAll(log: UsageBuffer, store: UsageStore): Promise<void> {
  log.rotate();
  for (let write = log.next(); write !== undefined; write = log.next()) {
    await store.add(write, () => log.visible());
    log.written();
  }
}

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 11, 2, 12);

test("the last 24 hours move on with the clock, and have every request at once, written or not", async () => {
  const file = temporaryFile();
  const database = new Database(file);
  const store = sqliteUsage(database);
  const buffer = new UsageBuffer("writer");
  const usage = new KeyUsage(buffer, store);
  const record = (at: number) =>
    buffer.record({
      keyId: "key_1",
      operation: "listPets",
      method: "GET",
      status: 200,
      duration: 1,
      at,
      decision: undefined,
    });
  const write = async () => {
    buffer.rotate();
    for (let next = buffer.next(); next !== undefined; next = buffer.next()) {
      await store.add(next);
      buffer.written();
    }
  };
  const day = async (now: number) => {
    const { past, recent } = await usage.lastDay("key_1", now);
    const hours = [...past, ...recent];
    expect(hours.map(({ at }) => at)).toEqual(
      Array.from({ length: 24 }, (_, i) => now - (now % HOUR) - (23 - i) * HOUR),
    );
    return hours.map(({ requests }) => requests);
  };
  record(NOON - 23 * HOUR);
  record(NOON - 1);
  await write();
  record(NOON + HOUR - 20_000);
  expect((await day(NOON + HOUR - 10_000)).filter(Boolean)).toEqual([1, 1, 1]);
  await write();
  expect((await day(NOON + HOUR - 5_000)).filter(Boolean)).toEqual([1, 1, 1]);
  // The hours that were read before are still used, but for the first, which is no longer among the last 24.
  record(NOON + HOUR + 10_000);
  expect((await day(NOON + HOUR + 20_000)).slice(-3)).toEqual([1, 1, 1]);
  expect((await day(NOON + HOUR + 20_000)).filter(Boolean)).toEqual([1, 1, 1]);
  // An hour that this process could not write in time is read again until it has, with what comes to it meanwhile.
  await write();
  record(NOON + 2 * HOUR - 1);
  buffer.rotate();
  const later = NOON + 2 * HOUR + 40_000;
  expect((await day(later)).slice(-4)).toEqual([1, 1, 2, 0]);
  await write();
  expect((await day(later)).slice(-4)).toEqual([1, 1, 2, 0]);
  record(later);
  buffer.rotate();
  expect((await day(later)).slice(-4)).toEqual([1, 1, 2, 1]);
  await write();
  expect((await day(later + 1)).slice(-4)).toEqual([1, 1, 2, 1]);
  database.close();
  file.remove();
});
