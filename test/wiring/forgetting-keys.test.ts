import { expect, test } from "bun:test";
import { KeyAdministration } from "../../src/domain/keys/administration.ts";
import { openStores } from "../../src/wiring/stores.ts";
import { temporaryFile } from "../adapters/sqlite/temporary.ts";
import { TESTER } from "../support/author.ts";

test("a cached key is forgotten when a request finds its simulation over", async () => {
  const file = temporaryFile();
  const config = { deployment: "staging", checksCategories: false } as const;
  const stores = await openStores(
    { ...config, database: { engine: "sqlite", path: file.path, create: true } },
    () => {},
  );
  try {
    const administration = new KeyAdministration(stores.keys, "staging", TESTER);
    const { key, secret } = await administration.create({ name: "test", plan: "free", scopes: [] }, 1);
    const { simulation } = await administration.simulate(key.id, { answer: "not_found", next: 1 }, 1);
    if (simulation === undefined) throw new Error("it was not set");
    const cached = async () => (await stores.findKey(secret))?.key.simulation;
    expect(await cached()).toEqual(simulation);
    expect(await stores.keys.countSimulated(key.id, simulation)).toBe(1);
    expect(await stores.keys.countSimulated(key.id, simulation)).toBeUndefined();
    expect(await cached()).toBeUndefined();
  } finally {
    await stores.close();
    file.remove();
  }
});

test("a cached key that retention deletes is not known any more, and other rows that it deletes leave it", async () => {
  const file = temporaryFile();
  const config = { deployment: "production", checksCategories: false } as const;
  const stores = await openStores(
    { ...config, database: { engine: "sqlite", path: file.path, create: true } },
    () => {},
  );
  try {
    const administration = new KeyAdministration(stores.keys, "production", TESTER);
    const { key, secret } = await administration.create({ name: "test", plan: "free", scopes: [] }, 1);
    await administration.revoke(key.id, 2);
    const cached = async () => (await stores.findKey(secret))?.key.revokedAt;
    expect(await cached()).toBe(2);
    const deleted = async (kind: "orders" | "keys") =>
      Array.fromAsync(stores.deleteEnded({ kind, before: 10, now: 20 }));
    const { misses } = stores.keyCache;
    await deleted("orders");
    expect([await cached(), stores.keyCache.misses]).toEqual([2, misses]);
    await deleted("keys");
    expect(await cached()).toBeUndefined();
  } finally {
    await stores.close();
    file.remove();
  }
});
