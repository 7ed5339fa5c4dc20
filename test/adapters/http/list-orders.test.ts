import { beforeAll, describe, expect, test } from "bun:test";
import { BASE_URL, WAYS } from "../../support/client.ts";
import { describes } from "../../support/descriptions.ts";
import { states } from "../../support/markdown.ts";
import { useKey, useService } from "../../support/use-service.ts";

type Order = { id: number; petId: number; status: string };

const service = useService();
const { client } = useKey(service);

/** By id: three of each status, and for the pets of cancelled ones another, placed order. */
let orders: Order[];
beforeAll(async () => {
  const place = async (petId: number): Promise<Order> => (await client.post("/v1/store/orders", { petId })).body;
  for (let i = 0; i < 3; i++) {
    for (const steps of [[], ["approved"], ["approved", "delivered"], ["cancelled"]]) {
      const { body: pet } = await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
      const { id } = await place(pet.id);
      for (const status of steps) await client.patch(`/v1/store/orders/${id}`, { status });
      if (steps[0] === "cancelled") await place(pet.id);
    }
  }
  orders = (await client.get("/v1/store/orders?limit=100")).body;
  expect(orders).toHaveLength(15);
});

const list = async (query: Record<string, string>): Promise<Order[]> => {
  const answer = await client.get(`/v1/store/orders?${new URLSearchParams(query)}`);
  expect(answer.status).toBe(200);
  return answer.body;
};
const nextOf = (headers: Headers) => /^<([^>]+)>; rel="next"$/.exec(headers.get("Link") ?? "")?.[1];

test("returns orders by id, ascending, each as it is by itself", async () => {
  describes("Orders", "Orders, by id, ascending.");
  describes("listOrders", "Returns a page of orders, by id, ascending.");
  expect(orders.map(({ id }) => id)).toEqual(orders.map(({ id }) => id).toSorted((a, b) => a - b));
  for (const order of orders) expect((await client.get(`/v1/store/orders/${order.id}`)).body).toEqual(order);
  states("docs/orders.md", "returns a page of orders by id, ascending.");
});

test("filters combine", async () => {
  states(
    "docs/orders.md",
    "`status` | OrderStatus | none | `placed`, `approved`, `delivered`, `cancelled` | Only orders with this status.",
    "`petId` | integer (int64) | none | 1 to 9223372036854775807 | Only orders for this pet.",
    "`after` | integer (int64) | none | 0 to 9223372036854775807 | Only orders with a greater id.",
    "`ids` | ids, separated by commas | none | 1 to 100 ids, each from 1 to 9223372036854775807 | Only orders with these ids.",
    "200 | Order, or Orders: a bare array, possibly empty",
  );
  for (const status of ["placed", "approved", "delivered", "cancelled"])
    expect(await list({ status })).toEqual(orders.filter((order) => order.status === status));
  const { petId } = orders.find(({ status }) => status === "cancelled") ?? orders[0] ?? { petId: 0 };
  const its = orders.filter((order) => order.petId === petId);
  expect(its.map(({ status }) => status)).toEqual(["cancelled", "placed"]);
  expect(await list({ petId: String(petId) })).toEqual(its);
  expect(await list({ petId: String(petId), status: "placed" })).toEqual(its.slice(1));
  expect(await list({ petId: String(petId), after: String(its[0]?.id) })).toEqual(its.slice(1));
  expect(await list({ petId: String(petId), ids: `${its[0]?.id},99999` })).toEqual(its.slice(0, 1));
  expect(await list({ petId: "99999" })).toEqual([]);
});

test("following Link keeps every filter, and returns each order once", async () => {
  states(
    "docs/orders.md",
    "Follow `Link` to read all pages.",
    "`limit` | integer | 20, or all of `ids` | 1 to 100 | At most this many orders.",
  );
  const ids = orders.map(({ id }) => id);
  for (const query of [
    "limit=2",
    "limit=1&status=placed",
    `limit=1&petId=${orders.at(-1)?.petId}`,
    `limit=2&ids=${ids}`,
  ]) {
    const all = (await client.get(`/v1/store/orders?${query}&limit=100`.replace(/limit=\d&/, ""))).body;
    const walked: Order[] = [];
    let next: string | undefined = `${BASE_URL}/store/orders?${query}`;
    while (next !== undefined) {
      expect(next).toStartWith(`${BASE_URL}/store/orders?`);
      const answer = await client.get(`/v1/store/orders${new URL(next).search}`);
      expect(answer.body.length).toBeLessThanOrEqual(2);
      walked.push(...answer.body);
      next = nextOf(answer.headers);
    }
    expect(walked).toEqual(all);
  }
});

test("the link has all filters filled in", async () => {
  const [first, ...others] = orders.filter(({ status }) => status === "placed").map(({ id }) => id);
  const { headers } = await client.get(`/v1/store/orders?status=placed&limit=1&ids=${[...others, first]}&after=0`);
  expect(nextOf(headers)).toBe(`${BASE_URL}/store/orders?limit=1&status=placed&ids=${others}&after=${first}`);
});

test("the default limit is 20, or all of ids", async () => {
  states("docs/orders.md", "| 20, or all of `ids` |");
  expect((await list({})).length).toBe(15);
  const ids = Array.from({ length: 100 }, (_, i) => i + 1);
  expect(await list({ ids: ids.join() })).toEqual(orders);
});

test("a list of one id has the ETag of that order, other lists their own", async () => {
  describes("getOrder", "Returns an order with its ETag.");
  const delivered = orders.find(({ status }) => status === "delivered");
  const etagOf = async (query: string) => (await client.get(`/v1/store/orders${query}`)).headers.get("ETag");
  expect(await etagOf(`?ids=${delivered?.id}`)).toBe('"v3"');
  expect(await etagOf(`/${delivered?.id}`)).toBe('"v3"');
  expect(await etagOf("?status=delivered")).not.toMatch(/^"v/);
});

describe("is refused, with the bounds:", () => {
  const POSITIVE = "an integer from 1 to 9223372036854775807";
  test.each([
    ["limit", ["0", "101", "", "x"], "must be an integer from 1 to 100"],
    ["status", ["", "Placed", "sold"], "must be one of placed, approved, delivered, cancelled"],
    ["petId", ["", "0", "-1", "01", "x", "9223372036854775808"], `must be ${POSITIVE}`],
    ["after", ["", "-1", "01"], "must be the id of an order: an integer from 0 to 9223372036854775807"],
    ["ids", ["", ",", "0", "-1", "1,,2"], `must be 1 to 100 ids, separated by commas, each ${POSITIVE}`],
  ])("%s", async (field, values, problem) => {
    for (const value of values) {
      const answer = await client.get(`/v1/store/orders?${new URLSearchParams([[field, value]])}`);
      expect(answer).toMatchObject({
        status: 400,
        body: { code: "invalid_parameter", details: [{ in: "query", field, problem }] },
      });
      expect(answer.body.message).toContain(problem);
    }
  });

  test("a parameter that is repeated", async () => {
    for (const name of ["limit", "petId", "after"])
      expect((await client.get(`/v1/store/orders?${name}=1&${name}=1`)).status).toBe(400);
  });
});

test.each(WAYS)("a change is on the next page that is read, also where it was cached, %s", async (_, headers) => {
  const { body: pet } = await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
  const { body: order } = await client.post("/v1/store/orders", { petId: pet.id });
  const path = `/v1/store/orders?petId=${pet.id}`;
  for (const status of ["approved", "delivered"]) {
    for (let i = 0; i < 3; i++) await client.get(path, headers);
    await client.patch(`/v1/store/orders/${order.id}`, { status });
    expect((await client.get(path, headers)).body[0].status).toBe(status);
  }
});

test("orders are found by their reference, page by page", async () => {
  describes("listOrders.reference", "Only orders with exactly this reference.");
  states(
    "docs/orders.md",
    "`reference` | string | none | 1 to 100 characters, not blank | Only orders with this reference;",
  );
  const reference = "Nº 7 & 8/\u{1f436}";
  const placed: Order[] = [];
  for (const given of [reference, "Nº 7", reference]) {
    const { body: pet } = await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
    placed.push((await client.post("/v1/store/orders", { petId: pet.id, reference: given })).body);
  }
  const [first, other, second] = placed as [Order, Order, Order];
  expect(await list({ reference })).toEqual([first, second]);
  expect(await list({ reference: "Nº 7" })).toEqual([other]);
  const page = await client.get(`/v1/store/orders?${new URLSearchParams({ reference, limit: "1", status: "placed" })}`);
  expect(page.body).toEqual([first]);
  expect((await client.get(String(nextOf(page.headers)).replace(BASE_URL, "/v1"))).body).toEqual([second]);
  for (const wrong of ["", " ", "x".repeat(101)])
    expect((await client.get(`/v1/store/orders?reference=${wrong}`)).body.code).toBe("invalid_parameter");
  for (const { id } of placed) await client.patch(`/v1/store/orders/${id}`, { status: "cancelled" });
});
