import { expect, test } from "bun:test";
import pg from "pg";
import { PostgresOrders } from "../../../src/adapters/postgres/changes.ts";
import { PostgresPets } from "../../../src/adapters/postgres/pets.ts";
import { SqlIdempotencyKeys } from "../../../src/adapters/sql/idempotency-keys.ts";
import { petChangesConformance } from "../../conformance/pet-changes.ts";
import { petStoreConformance } from "../../conformance/pet-store.ts";
import { states } from "../../support/markdown.ts";
import { openOnPostgres } from "./opened.ts";

const open = () => openOnPostgres((database) => new PostgresPets(database));
petStoreConformance("PostgreSQL", open);
petChangesConformance("PostgreSQL", open);

test("equal pets that are added together have ascending ids", async () => {
  const opened = await openOnPostgres((database) => new PostgresPets(database));
  const rex = { name: "Rex", categoryId: 1n, status: "sold" as const };
  const pets = [rex, rex, { ...rex, name: "Mia" }, rex];
  const added = await Promise.all(pets.map((pet) => opened.store.create(pet, { now: Date.now() })));
  expect(added.map(({ name }) => name)).toEqual(["Rex", "Rex", "Mia", "Rex"]);
  const ids = added.filter(({ name }) => name === "Rex").map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  await opened.close();
});

test("nothing waits for a locked row of the inventory while others are free, and all is counted", async () => {
  states(
    "docs/reliability.md",
    "Another session locks a row of the inventory | Nothing waits for it: changes are counted in another of the 16 rows.",
  );
  let url = "";
  const keep = (given: string) => {
    url = given;
    return given;
  };
  const opened = await openOnPostgres((database) => {
    const idempotencyKeys = new SqlIdempotencyKeys(database);
    return {
      pets: new PostgresPets(database, idempotencyKeys),
      orders: new PostgresOrders(database, idempotencyKeys),
    };
  }, keep);
  const { pets, orders } = opened.store;
  const client = new pg.Client(url);
  await client.connect();
  await client.query("BEGIN; SELECT FROM petstore.inventory WHERE shard <> 11 FOR UPDATE");
  const now = Date.UTC(2026, 11, 2);
  for (let i = 0; i < 8; i++) {
    const rex = { name: "Rex", categoryId: 1n };
    const { id } = await pets.create(rex, { now: Date.now() });
    await pets.create(rex, { by: { operator: { name: "Ada" } }, now });
    const { created } = await pets.createIdempotently(rex, { keyId: "key_1", key: String(i), now });
    await orders.place(BigInt(id), now);
    await pets.update(BigInt(created.id), { status: "sold" }, { now: Date.now() });
  }
  await client.query("ROLLBACK");
  await client.end();
  expect(await pets.inventory()).toEqual({ available: 8, pending: 8, sold: 8 });
  expect((await orders.counts()).placed).toBe(8);
  await opened.close();
});
