import { afterEach, beforeEach, expect, test } from "bun:test";
import { TimedKeyCache } from "../../../src/adapters/memory/key-cache.ts";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { SqliteKeys } from "../../../src/adapters/sqlite/keys.ts";
import { KeyAdministration } from "../../../src/domain/keys/administration.ts";
import { newSecret } from "../../../src/domain/keys/secret.ts";
import { TESTER } from "../../support/author.ts";
import { type TemporaryFile, temporaryFile } from "../sqlite/temporary.ts";

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
