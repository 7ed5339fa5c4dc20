import { expect, test } from "bun:test";
import { describes } from "../../../support/descriptions.ts";
import { states } from "../../../support/markdown.ts";
import { useOperator, useService } from "../../../support/use-service.ts";

const service = useService();
const { client: admin, operator } = useOperator(service);

const ORDERS = "/admin/v1/orders";

/** Places an order for a new pet, as a client of the shop does. */
async function place() {
  const { pets, orders } = service.stores;
  const pet = await pets.create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
  return (await orders.place(BigInt(pet.id), service.now)).created;
}

const order = (petId: number, key?: string) =>
  admin.post(ORDERS, { petId }, key === undefined ? {} : { "Idempotency-Key": key });
const change = (id: number | string, status: unknown, headers: Record<string, string> = {}) =>
  admin.request(`${ORDERS}/${id}`, {
    method: "PATCH",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ status }),
  });
const statusOf = async (petId: number) => (await admin.get(`/admin/v1/pets/${petId}`)).body.status;
const idsOf = async (query: string) =>
  (await admin.get(`${ORDERS}?${query}`)).body.orders.map(({ id }: { id: number }) => id);

test("an order is approved and delivered, with its pet, and each change has an audit entry", async () => {
  states(
    "docs/administration.md",
    "`GET`, `PATCH /admin/v1/orders/{orderId}`, the second with `status` | the order; the order, approved, delivered or cancelled",
  );
  const { id, petId } = await place();
  const read = await admin.get(`${ORDERS}/${id}`);
  expect(read.body).toMatchObject({ id, petId, status: "placed" });
  expect(await statusOf(petId)).toBe("pending");
  await service.advance({ seconds: 60 });
  const approved = await change(id, "approved", { "If-Match": read.headers.get("ETag") ?? "" });
  expect(approved.body).toEqual({ ...read.body, status: "approved", updatedAt: new Date(service.now).toISOString() });
  const types = { "Content-Type": "application/merge-patch+json" };
  expect((await change(id, "delivered", types)).body.status).toBe("delivered");
  expect(await statusOf(petId)).toBe("sold");
  const { entries } = (await admin.get(`/admin/v1/audit?target=${id}&action=order.update`)).body;
  expect(entries).toMatchObject([
    { before: { id, petId, status: "approved" }, after: { status: "delivered" } },
    { before: read.body, after: approved.body, operator: { id: operator.id, name: operator.name } },
  ]);
});

test("an operator orders an available pet once, with an audit entry", async () => {
  states(
    "docs/administration.md",
    "`POST /admin/v1/orders` with `petId`, `reference` | 201, the order; the pet is pending.",
    "The pet is pending or sold.",
  );
  const { id: petId } = await service.stores.pets.create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
  const placed = await order(petId);
  expect(placed).toMatchObject({ status: 201, body: { petId, status: "placed" } });
  expect(placed.headers.get("Location")).toBe(`${ORDERS}/${placed.body.id}`);
  const read = await admin.get(`${ORDERS}/${placed.body.id}`);
  expect([read.body, read.headers.get("ETag")]).toEqual([placed.body, placed.headers.get("ETag")]);
  expect(await statusOf(petId)).toBe("pending");
  expect(await order(petId)).toMatchObject({ status: 409, body: { code: "pet_not_available" } });
  const { id: sold } = await service.stores.pets.create(
    { name: "Rex", categoryId: 1n, status: "sold" },
    { now: Date.now() },
  );
  expect((await order(sold)).body.code).toBe("pet_not_available");
  expect(await order(999_999)).toMatchObject({ status: 404, body: { code: "pet_not_found" } });
  const { entries } = (await admin.get(`/admin/v1/audit?target=${placed.body.id}&action=order.place`)).body;
  expect(entries).toMatchObject([{ before: null, after: placed.body, operator: { id: operator.id } }]);
});

test("a repeated order with its Idempotency-Key gets the first response, and is recorded once", async () => {
  states("docs/administration.md", "201, the order; the pet is pending. Takes an `Idempotency-Key`");
  describes("placeOrder.Idempotency-Key", "A repeated request with the same content gets the first response.");
  states("docs/administration.md", "Another request had this `Idempotency-Key`.");
  const { id: petId } = await service.stores.pets.create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
  const first = await order(petId, "once");
  const again = await order(petId, "once");
  expect(again).toMatchObject({ status: 201, body: first.body });
  expect([first, again].map(({ headers }) => headers.get("Idempotency-Replayed"))).toEqual([null, "true"]);
  expect(await order(petId + 1, "once")).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
  const { entries } = (await admin.get(`/admin/v1/audit?target=${first.body.id}&action=order.place`)).body;
  expect(entries).toHaveLength(1);
  const { client: other } = await service.withOperator("admin");
  const refused = await other.post(ORDERS, { petId }, { "Idempotency-Key": "once" });
  expect(refused.body.code).toBe("pet_not_available");
});

test("the overview counts orders by status", async () => {
  states("docs/administration.md", "and orders of each state there are");
  const counts = async () => (await admin.get("/admin/v1/overview")).body.orders;
  const before = await counts();
  const [first] = [await place(), await place(), await place()];
  await change(first.id, "approved");
  expect(await counts()).toEqual({ ...before, placed: before.placed + 2, approved: before.approved + 1 });
  await change(first.id, "delivered");
  const after = { ...before, placed: before.placed + 2, delivered: before.delivered + 1 };
  expect(await counts()).toEqual(after);
});

test("a cancelled order makes its pet available", async () => {
  const { id, petId } = await place();
  expect((await change(id, "cancelled")).status).toBe(200);
  expect(await statusOf(petId)).toBe("available");
});

test("refusals are those of the public interface, and have no audit entry", async () => {
  states(
    "docs/administration.md",
    "The status of the pet or of the order cannot follow the current one.",
    "Choose one that the message names.",
  );
  const { id } = await place();
  const refused = await change(id, "delivered");
  expect(refused).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
  expect(refused.body.message).toMatch(/approved.*cancelled/);
  expect(await change(id, "placed")).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
  expect(await change(id, "lost")).toMatchObject({ status: 400, body: { code: "validation_failed" } });
  expect(await change(id, "approved", { "If-Match": '"v2"' })).toMatchObject({
    status: 412,
    body: { code: "precondition_failed" },
  });
  for (const answer of [await change(999_999, "approved"), await admin.get(`${ORDERS}/0`)]) {
    expect([answer.status, answer.body.code]).toEqual([404, "order_not_found"]);
  }
  expect((await admin.get(`/admin/v1/audit?target=${id}&action=order.update`)).body.entries).toEqual([]);
});

test("orders are listed in pages, by status, pet and ids", async () => {
  states(
    "docs/administration.md",
    "`orders`, by id or with `order=desc` the newest first, `next`, and `total`, which is null with filters other than `status`",
  );
  describes("listOrders", "Lists the orders that match all given filters, by id;");
  states(
    "docs/administration.md",
    "`GET /admin/v1/orders?limit=&after=&order=&status=&petId=&reference=&ids=` | `orders`, by id or with `order=desc` the newest first, `next`",
  );
  const placed = [await place(), await place(), await place()];
  const [first, second, third] = placed.map(({ id }) => id);
  await change(second ?? 0, "cancelled");
  const page = await admin.get(`${ORDERS}?limit=2&ids=${third},${second},${first}`);
  expect(page.body).toMatchObject({ orders: [{ id: first }, { id: second }], next: second });
  expect(await idsOf(`ids=${third},${second},${first}&after=${page.body.next}`)).toEqual([third]);
  expect(await idsOf(`ids=${third},${second}&status=placed`)).toEqual([third]);
  expect(await idsOf(`petId=${placed[0]?.petId}`)).toEqual([first]);
  const newest = await admin.get(`${ORDERS}?order=desc&limit=2`);
  expect(newest.body).toMatchObject({ orders: [{ id: third }, { id: second }], next: second });
  expect((await idsOf(`order=desc&limit=1&after=${newest.body.next}`)).at(0)).toBe(first);
  expect((await admin.get(`${ORDERS}?status=lost`)).body.code).toBe("invalid_parameter");
  // How many there are of each status is known, and of all; those of other filters are not counted.
  const counts: Record<string, number> = (await admin.get("/admin/v1/overview")).body.orders;
  const totalOf = async (query: string) => (await admin.get(`${ORDERS}?limit=1&${query}`)).body.total;
  expect(await totalOf("")).toBe(Object.values(counts).reduce((sum, one) => sum + one, 0));
  for (const [status, total] of Object.entries(counts))
    expect([status, await totalOf(`status=${status}`)]).toEqual([status, total]);
  for (const filter of [`petId=${placed[0]?.petId}`, "reference=none", `ids=${first}`, `status=placed&ids=${first}`])
    expect([filter, await totalOf(filter)]).toEqual([filter, null]);
});
