import { beforeEach, expect, test } from "bun:test";
import { LocalKeyCache } from "../../../src/adapters/memory/local-key-cache.ts";
import type { RequestKey, RequestSecret } from "../../../src/domain/keys/key.ts";

const key: RequestKey = {
  id: "key_1",
  plan: "free",
  limits: { perMinute: 60, perDay: 1_000 },
  scopes: ["pets:read"],
  lastUsedAt: 0,
};
const secret: RequestSecret = {};

let revision: number;
let known: Map<string, { key: RequestKey; secret: RequestSecret }>;
let asked: string[];
let keys: LocalKeyCache;
beforeEach(() => {
  revision = 1;
  known = new Map([["a", { key, secret }]]);
  asked = [];
  keys = new LocalKeyCache(
    (hash) => {
      asked.push(hash);
      return known.get(hash);
    },
    () => revision,
  );
});

test("a key is looked up once until the store changes", () => {
  for (let i = 0; i < 3; i++) expect(keys.find("a")?.key).toBe(key);
  expect(asked).toEqual(["a"]);
  expect([keys.hits, keys.misses]).toEqual([2, 1]);
  revision = 2;
  known.set("a", { key: { ...key, revokedAt: 1 }, secret });
  expect(keys.find("a")?.key.revokedAt).toBe(1);
  expect(asked).toEqual(["a", "a"]);
});

test("an unknown key is looked up each time", () => {
  expect(keys.find("b")).toBeUndefined();
  known.set("b", { key, secret });
  expect(keys.find("b")?.key).toBe(key);
  expect([keys.hits, keys.misses]).toEqual([0, 2]);
});

test("a key that this process has changed is looked up again, and no other one", () => {
  known.set("b", { key: { ...key, id: "key_2" }, secret });
  keys.find("a");
  keys.find("b");
  known.set("a", { key: { ...key, revokedAt: 1 }, secret });
  keys.forget("key_1");
  expect(keys.find("a")?.key.revokedAt).toBe(1);
  expect(keys.find("b")?.key.id).toBe("key_2");
  expect(asked).toEqual(["a", "b", "a"]);
});

test("for any look-ups, the cache is bounded and its results are correct", () => {
  const MOST_KEYS = 200_000;
  for (let i = 0; i <= MOST_KEYS; i++) known.set(`key ${i}`, { key: { ...key, id: `key_${i}` }, secret });
  const correct = () => {
    let sum = 0;
    for (let i = 0; i <= MOST_KEYS; i++) sum += keys.find(`key ${i}`)?.key.id === `key_${i}` ? 1 : 0;
    return sum;
  };
  for (let round = 0; round < 2; round++) expect(correct()).toBe(MOST_KEYS + 1);
  expect(asked.length).toBeGreaterThan(MOST_KEYS + 1);
});
