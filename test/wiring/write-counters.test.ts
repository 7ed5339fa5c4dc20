import { afterEach, beforeEach, expect, test } from "bun:test";
import { ActivityBuffer } from "../../src/adapters/memory/activity-buffer.ts";
import { MemoryLimiter } from "../../src/adapters/memory/limiter.ts";
import { SqliteCounters } from "../../src/adapters/sqlite/counters.ts";
import { Database } from "../../src/adapters/sqlite/database.ts";
import { writeCounters } from "../../src/wiring/background-tasks.ts";
import { type TemporaryFile, temporaryFile } from "../adapters/sqlite/temporary.ts";

const KEYS = 2_300;
const NOW = Date.UTC(2026, 11, 2, 10);
const limits = { perMinute: 60, perDay: 1_000 };
const idOf = (i: number) => `key_${i}`;

let file: TemporaryFile;
let database: Database;
let store: SqliteCounters;
let limiter: MemoryLimiter;
let activity: ActivityBuffer;
beforeEach(() => {
  file = temporaryFile();
  database = new Database(file);
  store = new SqliteCounters(database);
  limiter = new MemoryLimiter(() => NOW);
  activity = new ActivityBuffer();
});
afterEach(() => {
  database.close();
  file.remove();
});

function useAll(): void {
  for (let i = 0; i < KEYS; i++) {
    limiter.take({ id: idOf(i), limits });
    activity.calledDeprecated("getPet", idOf(i), NOW, undefined);
  }
}

/** The numbers of counted requests of all keys, and of their deprecated calls, as stored. */
async function stored() {
  const states = [...(await store.load())].map(([, { minute }]) => minute.count);
  return { keys: states.length, requests: Math.max(0, ...states), calls: (await store.callTotal("getPet")).calls };
}

test("the counters of many keys are saved in several writes, each key once", async () => {
  useAll();
  const sizes: number[] = [];
  const counting = {
    save: (...part: Parameters<SqliteCounters["save"]>) => {
      sizes.push(part[0].places.length);
      return store.save(...part);
    },
  };
  await writeCounters(limiter, activity, counting);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(KEYS);
  expect(await stored()).toEqual({ keys: KEYS, requests: 1, calls: KEYS });
  await writeCounters(limiter, activity, counting);
  expect(sizes).toHaveLength(3);
});

test("what could not be saved is saved the next time, and what was saved is not saved again", async () => {
  useAll();
  let writes = 0;
  const failing = {
    save: async (...part: Parameters<SqliteCounters["save"]>) => {
      writes += 1;
      if (writes === 2) throw new Error("the disk is full");
      await store.save(...part);
    },
  };
  await expect(writeCounters(limiter, activity, failing)).rejects.toThrow("the disk is full");
  expect(await stored()).toEqual({ keys: 1_000, requests: 1, calls: 1_000 });
  await writeCounters(limiter, activity, failing);
  expect(await stored()).toEqual({ keys: KEYS, requests: 1, calls: KEYS });
});

test("limit states are saved without activity, and activity without limit states", async () => {
  limiter.take({ id: idOf(1), limits });
  await writeCounters(limiter, activity, store);
  expect(await stored()).toEqual({ keys: 1, requests: 1, calls: 0 });
  activity.calledDeprecated("getPet", idOf(2), NOW, undefined);
  await writeCounters(limiter, activity, store);
  expect(await stored()).toEqual({ keys: 1, requests: 1, calls: 1 });
});
