import { expect, test } from "bun:test";
import { createFirstKey } from "../../src/wiring/first-key.ts";
import { openStores } from "../../src/wiring/open-stores.ts";
import type { Stores } from "../../src/wiring/stores.ts";
import { createDatabase } from "../support/shared-postgres.ts";
import { newStore } from "../support/store.ts";

const NOW = Date.UTC(2026, 11, 2, 10);
const create = (stores: Stores) => createFirstKey(stores, "production", () => NOW);

test("nodes that start together on an empty PostgreSQL database create one first key", async () => {
  const { url, drop } = await createDatabase();
  const database = { engine: "postgres" as const, url, poolSize: 2 };
  const open = () => openStores({ database, deployment: "production", checksCategories: false }, () => {});
  const nodes = [await open(), await open(), await open(), await open()];
  try {
    const issued = await Promise.all(nodes.map(create));
    expect(issued.filter((key) => key !== undefined)).toHaveLength(1);
    expect(await nodes[0]?.keys.list({ order: "oldest", limit: 9 }, NOW)).toHaveLength(1);
  } finally {
    await Promise.all(nodes.map((stores) => stores.close()));
    await drop();
  }
}, 60_000);

test("the first key has the Business plan and every scope, and there is no second one", async () => {
  const store = await newStore("sqlite");
  const database = { engine: "sqlite" as const, path: store.url.slice("sqlite:".length) };
  const stores = await openStores({ database, deployment: "production", checksCategories: false }, () => {});
  const issued = await create(stores);
  expect(issued?.key).toMatchObject({
    name: "first key",
    plan: "business",
    limits: { perMinute: 1_000, perDay: 100_000 },
    scopes: ["pets:read", "pets:write", "orders:read", "orders:write"],
    createdAt: NOW,
  });
  expect(issued?.secret).toStartWith("pets_live_");
  expect(await create(stores)).toBeUndefined();
  const [entry] = await stores.audit.list({ limit: 9 });
  expect(entry).toMatchObject({ action: "key.create", operator: { name: "first start" }, target: issued?.key.id });
  await stores.close();
  await store.remove();
});
