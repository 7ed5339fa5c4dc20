import { describe, expect, test } from "bun:test";
import { TimedKeyCache } from "../../../src/adapters/memory/key-cache.ts";
import { PastHours, UsageBuffer } from "../../../src/adapters/memory/usage.ts";
import type { FoundKey, RequestKey } from "../../../src/domain/keys/key.ts";
import { newSecret } from "../../../src/domain/keys/secret.ts";
import type { Answered } from "../../../src/domain/usage/counting.ts";
import { Point } from "../../../src/domain/usage/reading.ts";

const MOST_KEYS = 20_000;
const MOST_USERS_OF_USAGE = 1_000;
const MINUTE = 60_000;

/** The age from which the key cache refreshes an entry, in ms. */
const REFRESH_AGE = 450;
const KEY: RequestKey = {
  id: "key_1",
  plan: "free",
  limits: { perMinute: 60, perDay: 1_000 },
  scopes: [],
  lastUsedAt: 0,
};

test("the key cache of PostgreSQL keeps 20,000 keys at most: those that were used last", async () => {
  let lookUps = 0;
  const cache = new TimedKeyCache("production", () => {
    lookUps += 1;
    return { key: KEY, secret: {} };
  });
  const [first = "", ...others] = Array.from({ length: MOST_KEYS }, () => newSecret("production"));
  for (const secret of [first, ...others]) await cache.find(secret);
  expect(lookUps).toBe(MOST_KEYS);
  await cache.find(newSecret("production"));
  await cache.find(others.at(-1) ?? "");
  expect(lookUps).toBe(MOST_KEYS + 1);
  await cache.find(first);
  expect(lookUps).toBe(MOST_KEYS + 2);
});

test("a key that a refresh no longer finds is not cached any more", async () => {
  const secret = newSecret("production");
  let found: FoundKey | undefined = { key: KEY, secret: {} };
  const cache = new TimedKeyCache("production", () => found);
  expect(await cache.find(secret)).toEqual({ key: KEY, secret: {} });
  found = undefined;
  await new Promise((resolve) => setTimeout(resolve, REFRESH_AGE + 10));
  await cache.find(secret);
  await new Promise(setImmediate);
  expect(await cache.find(secret)).toBeUndefined();
});

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
