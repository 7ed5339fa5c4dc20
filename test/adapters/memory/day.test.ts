import { expect, test } from "bun:test";
import { KeyUsage, UsageBuffer } from "../../../src/adapters/memory/usage.ts";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { SqliteUsage } from "../../../src/adapters/sqlite/usage.ts";
import { temporaryFile } from "../sqlite/temporary.ts";

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 11, 2, 12);

test("the last 24 hours move on with the clock, and have every request at once, written or not", async () => {
  const file = temporaryFile();
  const database = new Database(file);
  const store = new SqliteUsage(database);
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
  database.close();
  file.remove();
});
