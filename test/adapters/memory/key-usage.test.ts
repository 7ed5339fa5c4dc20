import { describe, expect, test } from "bun:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { KeyUsage, UsageBuffer } from "../../../src/adapters/memory/usage.ts";
import type { Point, UsageStore } from "../../../src/domain/usage/reading.ts";
import { readConfig } from "../../../src/wiring/config.ts";
import { openStores } from "../../../src/wiring/stores.ts";
import { eventuallyHolds } from "../../support/holds.ts";
import { newStore } from "../../support/store.ts";

const START = Date.UTC(2026, 11, 2, 10, 59);

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
      let at = START;
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

test("a request is counted once while its count is being written", async () => {
  const store = await newStore();
  const stores = await openStores(readConfig({ DATABASE_URL: store.url }), () => {});
  const log = new UsageBuffer("writer");
  const usage = new KeyUsage(log, stores.usage);
  for (let i = 0; i < 4; i += 1) log.record(requestAt("key_written", START));
  // So many keys that the last one is in the second write.
  for (let i = 0; i < 200; i += 1) log.record(requestAt(`key_${i}`, START));
  let isWritten = false;
  const written = writeAll(log, stores.usage).finally(() => {
    isWritten = true;
  });
  const seen = new Set<number>();
  // A commit and its sync take several turns of the event loop.
  while (!isWritten) {
    const points = await hours(usage, "key_written", START);
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
  const end = START + 60_000;
  other.record(requestAt("key_1", end - 1));
  expect(await countAt(usage, end + 1_000)).toBe(0);
  await writeAll(other, store.usage);
  expect(await countAt(usage, end + 2_000)).toBe(1);
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
    log.record(requestAt("key_1", START));
    expect(
      await countAt(
        new KeyUsage(
          log,
          remote(store.usage, () => writeAll(log, store.usage)),
        ),
        START,
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
    expect(await Promise.all([countAt(usage, START), countAt(usage, START)])).toEqual([0, 0]);
    expect(reads).toBe(1);
    log.record(requestAt("key_1", START));
    expect(await countAt(usage, START)).toBe(1);
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
