import { beforeEach, expect, test } from "bun:test";
import { secretIn } from "../../../src/adapters/http/checks.ts";
import { LocalKeyCache } from "../../../src/adapters/memory/key-cache.ts";
import type { FoundKey, RequestKey, RequestSecret } from "../../../src/domain/keys/key.ts";
import { hashOf, newSecret } from "../../../src/domain/keys/secret.ts";

const key: RequestKey = {
  id: "key_1",
  plan: "free",
  limits: { perMinute: 60, perDay: 1_000 },
  scopes: ["pets:read"],
  lastUsedAt: 0,
};
const secret: RequestSecret = {};
const [a, b] = [newSecret("production"), newSecret("production")];

let revision: number;
/** By the hashes of their secrets. */
let known: Map<string, FoundKey>;
let asked: string[];
let keys: LocalKeyCache;
beforeEach(() => {
  revision = 1;
  known = new Map([[hashOf(a), { key, secret }]]);
  asked = [];
  keys = new LocalKeyCache(
    "production",
    (hash) => {
      asked.push(hash);
      return known.get(hash);
    },
    () => revision,
  );
});

test("a key is looked up once until the store changes", () => {
  for (let i = 0; i < 3; i++) expect(keys.find(a)?.key).toBe(key);
  expect(asked).toEqual([hashOf(a)]);
  expect([keys.hits, keys.misses]).toEqual([2, 1]);
  revision = 2;
  known.set(hashOf(a), { key: { ...key, revokedAt: 1 }, secret });
  expect(keys.find(a)?.key.revokedAt).toBe(1);
  expect(asked).toEqual([hashOf(a), hashOf(a)]);
});

test("an unknown key is looked up each time", () => {
  expect(keys.find(b)).toBeUndefined();
  known.set(hashOf(b), { key, secret });
  expect(keys.find(b)?.key).toBe(key);
  expect([keys.hits, keys.misses]).toEqual([0, 2]);
});

test("what cannot be the secret of a key here is not looked up", () => {
  const last = a.endsWith("0") ? "1" : "0";
  for (const other of ["", "a", `${a.slice(0, -1)}${last}`, newSecret("staging")])
    expect(keys.find(other)).toBeUndefined();
  expect(asked).toEqual([]);
  expect(keys.misses).toBe(0);
});

test("a key that this process has changed is looked up again, and no other one", () => {
  known.set(hashOf(b), { key: { ...key, id: "key_2" }, secret });
  keys.find(a);
  keys.find(b);
  known.set(hashOf(a), { key: { ...key, revokedAt: 1 }, secret });
  keys.forget("key_1");
  expect(keys.find(a)?.key.revokedAt).toBe(1);
  expect(keys.find(b)?.key.id).toBe("key_2");
  expect(asked).toEqual([hashOf(a), hashOf(b), hashOf(a)]);
});

test("a header that is padded with spaces does not stay in memory with its key", () => {
  const secrets = Array.from({ length: 3_000 }, () => newSecret("production"));
  for (const each of secrets) known.set(hashOf(each), { key, secret });
  Bun.gc(true);
  const before = process.memoryUsage().heapUsed;
  for (const each of secrets) keys.find(secretIn(`Bearer ${" ".repeat(8_000)}${each}`));
  Bun.gc(true);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(6_000_000);
  expect(keys.misses).toBe(3_000);
});

test("for any look-ups, the cache is bounded and its results are correct", () => {
  const MOST_KEYS = 200_000;
  const secrets = Array.from({ length: MOST_KEYS + 1 }, () => newSecret("production"));
  for (const each of secrets) known.set(hashOf(each), { key: { ...key, id: each.slice(-12) }, secret });
  const correct = () => secrets.filter((each) => keys.find(each)?.key.id === each.slice(-12)).length;
  for (let round = 0; round < 2; round++) expect(correct()).toBe(MOST_KEYS + 1);
  expect(asked.length).toBeGreaterThan(MOST_KEYS + 1);
});
