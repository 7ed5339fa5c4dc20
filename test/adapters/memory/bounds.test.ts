import { describe, expect, test } from "bun:test";
import { PastHours } from "../../../src/adapters/memory/past-hours.ts";
import { TimedKeyCache } from "../../../src/adapters/memory/timed-key-cache.ts";
import { UsageBuffer } from "../../../src/adapters/memory/usage-buffer.ts";
import type { Key, StoredSecret } from "../../../src/domain/keys/key.ts";
import { Point } from "../../../src/domain/usage/point.ts";

const MOST_KEYS = 10_000;
const MOST_USERS_OF_USAGE = 1_000;
const MINUTE = 60_000;

test("the key cache of PostgreSQL keeps 10,000 keys at most", async () => {
  const key: Key = {
    id: "key_1",
    name: "test",
    plan: "free",
    limits: { perMinute: 60, perDay: 1_000 },
    scopes: [],
    createdAt: 0,
  };
  let lookUps = 0;
  const cache = new TimedKeyCache((hash) => {
    lookUps += 1;
    const secret: StoredSecret = { hash, keyId: key.id, lastFour: "abcd", createdAt: 0 };
    return { key, secret };
  });
  for (let i = 0; i < MOST_KEYS; i++) await cache.find(`hash ${i}`);
  expect(lookUps).toBe(MOST_KEYS);
  await cache.find("one too many");
  await cache.find("hash 9999");
  expect(lookUps).toBe(MOST_KEYS + 2);
});

test("while a write of usage is pending, no further one is made", () => {
  const buffer = new UsageBuffer("writer");
  const record = () =>
    buffer.record({
      keyId: "key_1",
      operation: "listPets",
      method: "GET",
      status: 200,
      duration: 1,
      at: 0,
      decision: undefined,
    });
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

  test("are kept for a minute", () => {
    const hours = new PastHours();
    hours.set("key_1", entry);
    expect(hours.get("key_1", 100, 1_000)).toEqual(entry.points);
    expect(hours.get("key_1", 100, 1_000 + MINUTE - 1)).toEqual(entry.points);
    expect(hours.get("key_1", 100, 1_000 + MINUTE)).toEqual([]);
  });

  test("are not those of another end, another key or a later read", () => {
    const hours = new PastHours();
    hours.set("key_1", entry);
    expect(hours.get("key_1", 101, 1_000)).toEqual([]);
    expect(hours.get("key_2", 100, 1_000)).toEqual([]);
    expect(hours.get("key_1", 100, 999)).toEqual([]);
  });

  test("are kept for the thousand keys that were read last", () => {
    const hours = new PastHours();
    for (let i = 0; i < MOST_USERS_OF_USAGE; i++) hours.set(`key_${i}`, entry);
    hours.set("key_0", entry);
    hours.set("key_new", entry);
    expect(hours.get("key_0", 100, 1_000)).toHaveLength(1);
    expect(hours.get("key_1", 100, 1_000)).toEqual([]);
    expect(hours.get("key_2", 100, 1_000)).toHaveLength(1);
  });
});
