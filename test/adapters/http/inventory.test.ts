import { expect, test } from "bun:test";
import { locationOf } from "../../support/client.ts";
import { describes } from "../../support/descriptions.ts";
import { states } from "../../support/markdown.ts";
import { addPets } from "../../support/pets.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service);

const INVENTORY = "/v1/store/inventory";

/** The counts, from the inventory and from all pets. */
async function counted(): Promise<[unknown, unknown]> {
  const pets: { status: string }[] = (await client.get("/v1/pets?limit=100")).body;
  const count = (status: string) => pets.filter((pet) => pet.status === status).length;
  const inventory = await client.get(INVENTORY);
  expect(inventory.status).toBe(200);
  return [inventory.body, { available: count("available"), pending: count("pending"), sold: count("sold") }];
}

test("an empty store has none of any status", async () => {
  expect((await client.get(INVENTORY)).text).toBe('{"available":0,"pending":0,"sold":0}');
});

test("counts every pet after each change", async () => {
  states("docs/orders.md", "It is exact, and as fast with a million pets as with one.");
  describes("getInventory", "Returns how many pets of each status there are, exactly.");
  const change = async (path: string, status: string) =>
    expect((await client.patch(path, { status })).status).toBe(200);
  const add = async (status: string): Promise<number> =>
    (await client.post("/v1/pets", { name: "Rex", categoryId: 1, status })).body.id;
  const ids: number[] = [];
  const ordered = async () => locationOf(await client.post("/v1/store/orders", { petId: await add("available") }));
  const steps = [
    async () => ids.push(await add("available"), await add("pending"), await add("sold")),
    async () => change(`/v1/pets/${ids[0]}`, "sold"),
    async () => change(`/v1/pets/${ids[1]}`, "available"),
    async () => client.patch(`/v1/pets/${ids[1]}`, { name: "Max" }),
    async () => client.delete(`/v1/pets/${ids[2]}`),
    async () => client.post("/v1/pets", { name: "Kit", categoryId: 1 }, { "Idempotency-Key": "kit" }),
    async () => client.post("/v1/pets", { name: "Kit", categoryId: 1 }, { "Idempotency-Key": "kit" }),
    ordered,
    async () => change(await ordered(), "cancelled"),
    async () => {
      const path = await ordered();
      await change(path, "approved");
      await change(path, "delivered");
    },
    async () => addPets(service, [{ name: "Bo", categoryId: 1n, status: "pending" }]),
  ];
  for (const step of steps) {
    await step();
    const [inventory, pets] = await counted();
    expect(inventory).toEqual(pets);
  }
  expect((await client.get(INVENTORY)).body).toEqual({ available: 3, pending: 2, sold: 2 });
  states("docs/orders.md", "how many pets of each status there are. It is exact,");
});

test("a refused change leaves the counts as they are", async () => {
  const before = (await client.get(INVENTORY)).text;
  const { body } = await client.get("/v1/pets?status=pending&limit=1");
  expect((await client.post("/v1/store/orders", { petId: body[0].id })).status).toBe(409);
  expect((await client.post("/v1/pets", { name: "" })).status).toBe(400);
  expect((await client.delete("/v1/pets/999999")).status).toBe(404);
  expect((await client.get(INVENTORY)).text).toBe(before);
});

test("its ETag changes with the counts alone", async () => {
  states("docs/orders.md", "304 | none: the counts are the same");
  const tag = (await client.get(INVENTORY)).headers.get("ETag") ?? "";
  expect((await client.get(INVENTORY, { "If-None-Match": tag })).status).toBe(304);
  const { body } = await client.post("/v1/categories", { name: "Dogs" });
  expect((await client.get(INVENTORY, { "If-None-Match": tag })).status).toBe(304);
  await client.post("/v1/pets", { name: "Rex", categoryId: body.id });
  expect((await client.get(INVENTORY, { "If-None-Match": tag })).status).toBe(200);
});

test("its ETag changes with each of the counts, also when their sum stays", async () => {
  const add = (status: string) => client.post("/v1/pets", { name: "Rex", categoryId: 1, status });
  const { id } = (await add("pending")).body;
  const steps = [
    ...["available", "pending", "sold"].map((status) => () => add(status)),
    () => client.patch(`/v1/pets/${id}`, { status: "sold" }),
  ];
  for (const step of steps) {
    const tag = (await client.get(INVENTORY)).headers.get("ETag") ?? "";
    await step();
    const { status, headers } = await client.get(INVENTORY, { "If-None-Match": tag });
    expect([status, headers.get("ETag")]).toEqual([200, expect.not.stringMatching(tag)]);
  }
});

test("a creation that is refused takes no other one from the counts, which share its commit", async () => {
  const create = (name: string, key?: string) =>
    client.post("/v1/pets", { name, categoryId: 1 }, key === undefined ? {} : { "Idempotency-Key": key });
  const keys = Array.from({ length: 15 }, (_, i) => `used-${i}`);
  for (const key of keys) expect((await create("First", key)).status).toBe(201);
  const before = (await client.get(INVENTORY)).body.available;
  const answers = await Promise.all(keys.flatMap((key) => [create("Rex"), create("Other", key)]));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(keys.length);
  expect(answers.filter(({ status }) => status === 422)).toHaveLength(keys.length);
  expect((await client.get(INVENTORY)).body.available).toBe(before + keys.length);
});
