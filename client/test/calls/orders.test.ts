import { describe, expect, test } from "bun:test";
import { states } from "../../../test/support/markdown.ts";
import { useService } from "../../../test/support/use-service.ts";
import { ConflictError, NotFoundError, PreconditionError, ScopeError } from "../../src/main.ts";
import { type Loss, lossy } from "../support/losses.ts";
import { petstoreOf, recorder } from "../support/petstore.ts";

const LOSSES: Loss[] = ["request", "response", "refusal"];

const service = useService();
const clock = { now: () => performance.now(), random: Math.random, sleep: () => Bun.sleep(1) };

/** A client, and a pet that can be ordered. */
async function withPet() {
  const petstore = await petstoreOf(service);
  const { id: petId } = await petstore.createPet({ name: "Rex", categoryId: 1 });
  const statusOfPet = async () => (await petstore.getPetsByIds([petId]))[0]?.status;
  return { petstore, orders: petstore.orders, petId, statusOfPet };
}

/** The orders of a client that loses its first change, and of one that does not. */
async function losing(loss: Loss, meanwhile?: () => unknown) {
  const { fetch } = lossy(loss, meanwhile);
  return { ...(await withPet()), lossyOrders: (await petstoreOf(service, { fetch, clock })).orders };
}

test("an order is placed, read, approved and delivered, and its pet is sold", async () => {
  states(
    "client/README.md",
    "`approve`, `deliver` and `cancel` are short for an `update` to that status.",
    "`reference` is your own number of the order, which `list` finds.",
  );
  const { orders, petId, statusOfPet } = await withPet();
  const placed = await orders.place({ petId, reference: "Nº 7" });
  expect(placed).toEqual({
    id: placed.id,
    petId,
    pet: { name: "Rex", categoryId: 1 },
    status: "placed",
    reference: "Nº 7",
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    updatedAt: placed.createdAt,
  });
  expect([await orders.get(placed.id), await statusOfPet()]).toEqual([placed, "pending"]);
  expect((await orders.list({ reference: "Nº 7" })).orders).toEqual([placed]);
  expect((await orders.approve(placed.id)).status).toBe("approved");
  expect((await orders.deliver(placed.id)).status).toBe("delivered");
  expect(await statusOfPet()).toBe("sold");
  states("client/README.md", "are short for an `update` to that status.");
});

test("what was sold has exact integers, in each mode and as JSON", async () => {
  states("client/README.md", "`pet` says what was sold, also when the pet has been renamed or removed since.");
  const { petstore } = await withPet();
  const categoryId = 9223372036854775807n;
  const { id: petId } = await petstore.createPet({ name: "Rex", categoryId });
  const { id, pet } = await petstore.orders.place({ petId });
  expect(pet).toEqual({ name: "Rex", categoryId });
  const { orders } = await petstoreOf(service, { integers: "bigint" });
  const small = await orders.place({ petId: (await petstore.createPet({ name: "Mia", categoryId: 1 })).id });
  expect(small.pet?.categoryId).toBe(1n);
  const order = await orders.get(id);
  const exact: bigint | undefined = order.pet?.categoryId;
  expect(exact).toBe(categoryId);
  expect(JSON.stringify(order)).toContain('"pet":{"name":"Rex","categoryId":9223372036854775807},');
});

test("a cancelled order gives its pet back", async () => {
  const { orders, petId, statusOfPet } = await withPet();
  const { id } = await orders.place({ petId });
  expect((await orders.cancel(id)).status).toBe("cancelled");
  expect(await statusOfPet()).toBe("available");
  await orders.update((await orders.place({ petId })).id, { status: "approved" });
});

test("of ten buyers one gets the pet, the others a ConflictError", async () => {
  const { orders, petId } = await withPet();
  const results = await Promise.allSettled(Array.from({ length: 10 }, () => orders.place({ petId })));
  const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  expect(refused).toHaveLength(9);
  for (const error of refused) expect(error).toBeInstanceOf(ConflictError);
  expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(["pet_not_available"]));
  expect((await orders.list({ petId })).orders).toHaveLength(1);
  states("client/README.md", "An order reserves an available pet. Of any number of buyers one gets it:");
});

test("what an order does not allow is a typed error", async () => {
  const { petstore, orders, petId } = await withPet();
  const { id } = await orders.place({ petId });
  await expect(orders.deliver(id)).rejects.toMatchObject({ name: "ConflictError", code: "invalid_transition" });
  const reserved = { name: "ConflictError", code: "pet_reserved" };
  await expect(petstore.deletePet(petId)).rejects.toMatchObject(reserved);
  await expect(petstore.updatePet(petId, { status: "sold" })).rejects.toMatchObject(reserved);
  await expect(orders.get(987654321)).rejects.toBeInstanceOf(NotFoundError);
  await expect(orders.approve(987654321)).rejects.toMatchObject({ code: "order_not_found", status: 404 });
  await expect(orders.place({ petId: 987654321 })).rejects.toMatchObject({ code: "pet_not_found", status: 404 });
  const { secret } = await service.createKey({ scopes: ["pets:read", "pets:write"] });
  const other = await petstoreOf(service, { apiKey: secret });
  await expect(other.orders.list()).rejects.toBeInstanceOf(ScopeError);
});

test("an order's integers are of the mode, and exact", async () => {
  const { orders, petId } = await withPet();
  const { id } = await orders.place({ petId });
  const bigints = await petstoreOf(service, { integers: "bigint" });
  const order: { id: bigint; petId: bigint } = await bigints.orders.get(id);
  expect([order.id, order.petId]).toEqual([BigInt(id), BigInt(petId)]);
  const { fetch, requests } = recorder();
  const unsent = await petstoreOf(service, { fetch });
  await expect(unsent.orders.place({ petId: 2 ** 60 })).rejects.toThrow(RangeError);
  await expect(unsent.orders.cancel(2 ** 60)).rejects.toThrow(RangeError);
  expect(requests).toEqual([]);
});

test("all orders are iterated over, by status, by pet and by ids, in pages of any size", async () => {
  states("client/README.md", "`petstore.orders` has `place`, `get`, `list`, `pages`, `all` and `update`;");
  const { petstore, orders, petId } = await withPet();
  const ids = [];
  for (let index = 0; index < 7; index++) {
    const { id } = await orders.place({ petId });
    await orders.cancel(id);
    ids.push(id);
  }
  const last = await orders.place({ petId });
  for (const limit of [undefined, 2]) {
    const found = [];
    for await (const { id } of orders.all({ petId, status: "cancelled", limit })) found.push(id);
    expect(found).toEqual(ids);
  }
  const sizes = [];
  for await (const page of orders.pages({ ids, limit: 3 })) sizes.push(page.orders.length);
  expect(sizes).toEqual([3, 3, 1]);
  const { next } = await orders.list({ petId, status: "cancelled", limit: 5 });
  expect(next).toEqual({ petId, status: "cancelled", limit: 5, after: ids[4] ?? -1 });
  expect((await orders.list({ petId, status: "placed" })).orders).toEqual([last]);
  expect((await petstore.orders.list({ after: last.id })).orders).toEqual([]);
});

test("the inventory counts the pets of each status", async () => {
  states("client/README.md", "`inventory` returns the number of pets of each status:");
  const { petstore, orders, petId } = await withPet();
  states("client/README.md", "`inventory` returns the number of pets of each status:");
  const before = await petstore.inventory();
  await orders.place({ petId });
  const { data, response } = await petstore.inventory().withResponse();
  expect(data).toEqual({ ...before, available: before.available - 1, pending: before.pending + 1 });
  expect(response.status).toBe(200);
  expect(await (await petstoreOf(service, { integers: "bigint" })).inventory()).toEqual(data);
});

describe("when something is lost", () => {
  test.each(LOSSES)("(the %s) an order is placed once, and changed once", async (loss) => {
    states("docs/orders.md", "The client also sends an `Idempotency-Key` with each order:");
    const first = await losing(loss);
    const { id } = await first.lossyOrders.place({ petId: first.petId });
    expect((await first.orders.list({ petId: first.petId })).orders).toHaveLength(1);
    const second = await losing(loss);
    expect(await second.lossyOrders.approve(id)).toMatchObject({ id, status: "approved" });
    const { response } = await second.orders.get(id).withResponse();
    const third = await losing(loss);
    const options = { ifMatch: response.headers.get("ETag") };
    expect(await third.lossyOrders.deliver(id, options)).toMatchObject({ id, status: "delivered" });
    states("client/README.md", "Each order that you place has an `Idempotency-Key`, like each pet that you add.");
  });

  test("a change that others have overtaken is a ConflictError, or a PreconditionError with ifMatch", async () => {
    states("client/README.md", "`update`, `approve`, `deliver` and `cancel` take `ifMatch`.");
    const { orders, petId } = await withPet();
    const { data, response } = await orders.place({ petId }).withResponse();
    const first = await losing("response", () => orders.deliver(data.id));
    await expect(first.lossyOrders.approve(data.id)).rejects.toMatchObject({ code: "invalid_transition" });
    const second = await losing("response");
    const stale = second.lossyOrders.approve(data.id, { ifMatch: response.headers.get("ETag") });
    await expect(stale).rejects.toBeInstanceOf(PreconditionError);
  });
});
