import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { secretIn } from "../../../src/adapters/http/checks.ts";
import { LocalKeyCache, TimedKeyCache } from "../../../src/adapters/memory/key-cache.ts";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { SqliteKeys } from "../../../src/adapters/sqlite/keys.ts";
import { KeyAdministration } from "../../../src/domain/keys/administration.ts";
import type { FoundKey, RequestKey, RequestSecret } from "../../../src/domain/keys/key.ts";
import { hashOf, newSecret } from "../../../src/domain/keys/secret.ts";
import { TESTER } from "../../support/author.ts";
import { states } from "../../support/markdown.ts";
import { type TemporaryFile, temporaryFile } from "../sqlite/temporary.ts";

describe("the cache of keys in a store of this process:", () => {
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
    states("SECURITY.md", "Guessing keys | A wrong form, checksum or deployment is refused without a lookup.");
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
});

describe("the cache of keys in a store that other nodes share:", () => {
  let file: TemporaryFile;
  let database: Database;
  let keys: SqliteKeys;
  let lookUps: number;
  let fails: boolean;
  let cache: TimedKeyCache;
  let id: string;
  let secret: string;
  beforeEach(async () => {
    file = temporaryFile();
    database = new Database(file);
    keys = new SqliteKeys(database);
    const issued = await new KeyAdministration(keys, "production", TESTER).create(
      { name: "test", plan: "free", scopes: ["pets:read"] },
      Date.now(),
    );
    id = issued.key.id;
    secret = issued.secret;
    lookUps = 0;
    fails = false;
    // The store as one that is a network away: it answers later, or not at all.
    cache = new TimedKeyCache("production", async (wanted) => {
      lookUps += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (fails) throw new Error("the store is away");
      database.refresh();
      return keys.findBySecret(wanted);
    });
  });
  afterEach(() => {
    database.close();
    file.remove();
  });

  const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

  test("concurrent requests for a key wait for one look-up, and the next request waits for none", async () => {
    const found = await Promise.all([cache.find(secret), cache.find(secret), cache.find(secret)]);
    expect(found.map((one) => one?.key.id)).toEqual([id, id, id]);
    const known = cache.find(secret);
    expect(known).not.toBeInstanceOf(Promise);
    expect(lookUps).toBe(1);
  });

  test("a key in constant use is refreshed without delaying requests", async () => {
    await cache.find(secret);
    const waits: boolean[] = [];
    for (let i = 0; i < 40; i++) {
      await pause(25);
      waits.push(cache.find(secret) instanceof Promise);
    }
    expect(waits).not.toContain(true);
    expect(lookUps).toBeGreaterThan(1);
    expect(lookUps).toBeLessThan(5);
  });

  test("a change is visible within a second, whether the key is in use or not", async () => {
    states(
      "docs/development/stores.md",
      "On PostgreSQL a key is cached for 0.9 s, counted from the start of its lookup.",
    );
    states("docs/authentication.md", "each change takes effect within a second.");
    for (const isInUse of [true, false]) {
      await cache.find(secret);
      await new KeyAdministration(keys, "production", TESTER).update(
        id,
        { plan: isInUse ? "pro" : "business" },
        Date.now(),
      );
      const changed = performance.now();
      while (performance.now() - changed < 950) {
        await pause(25);
        if (isInUse) await cache.find(secret);
      }
      expect((await cache.find(secret))?.key.plan).toBe(isInUse ? "pro" : "business");
    }
  });

  test("while the store is not available, a key is cached for less than a second, then the error is thrown", async () => {
    await cache.find(secret);
    fails = true;
    await pause(500);
    expect((await cache.find(secret))?.key.id).toBe(id);
    await pause(500);
    await expect(Promise.resolve(cache.find(secret))).rejects.toThrow("the store is away");
    fails = false;
    expect((await cache.find(secret))?.key.id).toBe(id);
  });

  test("an unknown secret is looked up each time", async () => {
    const unknown = newSecret("production");
    expect(await cache.find(unknown)).toBeUndefined();
    expect(await cache.find(unknown)).toBeUndefined();
    expect(lookUps).toBe(2);
  });

  test("what cannot be the secret of a key here is not looked up", () => {
    for (const other of ["", "nobody's", newSecret("staging")]) expect(cache.find(other)).toBeUndefined();
    expect([lookUps, cache.misses]).toEqual([0, 0]);
  });

  test("a key that this process has changed is looked up again at once", async () => {
    await cache.find(secret);
    cache.forget("key_other");
    expect(cache.find(secret)).not.toBeInstanceOf(Promise);
    await new KeyAdministration(keys, "production", TESTER).update(id, { plan: "pro" }, Date.now());
    cache.forget(id);
    expect((await cache.find(secret))?.key.plan).toBe("pro");
  });

  test("a look-up that began before a change is neither cached nor shared after it", async () => {
    const early = cache.find(secret);
    await new KeyAdministration(keys, "production", TESTER).update(id, { plan: "pro" }, Date.now());
    cache.forget(id);
    const late = cache.find(secret);
    expect(late).not.toBe(early);
    await early;
    expect((await late)?.key.plan).toBe("pro");
    expect((await cache.find(secret))?.key.plan).toBe("pro");
  });

  test("a look-up that read the key before a change, and ends after it, is not cached", async () => {
    const answered = Promise.withResolvers<void>();
    const slow = new TimedKeyCache("production", async (wanted) => {
      database.refresh();
      const found = keys.findBySecret(wanted);
      await answered.promise;
      return found;
    });
    const early = slow.find(secret);
    await new KeyAdministration(keys, "production", TESTER).update(id, { plan: "pro" }, Date.now());
    slow.forget(id);
    answered.resolve();
    expect((await early)?.key.plan).toBe("free");
    expect((await slow.find(secret))?.key.plan).toBe("pro");
  });

  test("a look-up that does not end holds up the requests of less than a second", async () => {
    let isFirst = true;
    const waiting = new TimedKeyCache("production", async (wanted) => {
      if (!isFirst) return keys.findBySecret(wanted);
      isFirst = false;
      return new Promise(() => {});
    });
    const endless = waiting.find(secret);
    await pause(950);
    const next = waiting.find(secret);
    expect(next).not.toBe(endless);
    expect((await next)?.key.id).toBe(id);
  });
});

describe("the same, for any store:", () => {
  const MOST_KEYS = 20_000;

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
});
