import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { StoreStatistics } from "../../src/wiring/background-tasks.ts";
import { readConfig } from "../../src/wiring/config.ts";
import { openStores } from "../../src/wiring/stores.ts";
import { metricsAt } from "../support/metrics.ts";
import { startService } from "../support/service.ts";
import { temporaryDirectory } from "../support/temporary.ts";

test("/metrics has the keys, the pets, the orders and the size of the database", async () => {
  await using service = await startService();
  const client = await service.withKey();
  for (let i = 0; i < 3; i++) await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
  await client.post("/v1/store/orders", { petId: 1 });
  const read = await metricsAt(service.adminUrl);
  expect(read.value("petstore_keys", { state: "active" })).toBe(2);
  expect(read.all("petstore_keys").map(({ labels }) => labels.state)).toEqual([
    "active",
    "banned",
    "disabled",
    "expired",
    "revoked",
  ]);
  const pets = ["available", "pending", "sold"].map((status) => read.value("petstore_pets", { status }));
  expect(pets).toEqual([2, 1, 0]);
  const orders = ["placed", "approved", "delivered", "cancelled"].map((status) =>
    read.value("petstore_orders", { status }),
  );
  expect(orders).toEqual([1, 0, 0, 0]);
  expect(read.value("petstore_store_statistics_timestamp_seconds")).toBe(service.now / 1_000);
  expect(read.value("petstore_database_size_bytes")).toBeGreaterThan(100_000);
});

test("while the database does not answer, its last numbers remain, with the time when they were read", async () => {
  const path = join(temporaryDirectory(), "petstore.db");
  const stores = await openStores(readConfig({ DATABASE_URL: `sqlite:${path}` }), () => {});
  await stores.pets.create({ name: "Rex", categoryId: 1n });
  const statistics = new StoreStatistics(stores, () => 5_000);
  const known = await statistics.current();
  expect(known).toMatchObject({ pets: { available: 1 }, keys: { active: 0 }, orders: { placed: 0 }, readAt: 5_000 });
  expect(known.databaseSize).toBeGreaterThanOrEqual(statSync(path).size);
  const later = new StoreStatistics(stores, () => 5_000);
  await stores.close();
  expect(await statistics.current()).toEqual(known);
  // The size of the file is known without the database.
  const { databaseSize, ...others } = await later.current();
  expect(databaseSize).toBeGreaterThan(0);
  expect(others).toEqual({ keys: undefined, pets: undefined, orders: undefined, readAt: 0 });
});
