import { expect, test } from "bun:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { KeyUsage } from "../../../src/adapters/memory/key-usage.ts";
import { UsageBuffer } from "../../../src/adapters/memory/usage-buffer.ts";
import type { Point } from "../../../src/domain/usage/point.ts";
import type { UsageStore } from "../../../src/domain/usage/store.ts";
import { readConfig } from "../../../src/wiring/config.ts";
import { openStores } from "../../../src/wiring/open-stores.ts";
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
