import { describe, expect, test } from "bun:test";
import { locationOf } from "../../support/client.ts";
import { describes } from "../../support/descriptions.ts";
import { states } from "../../support/markdown.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service);

const STATUSES = ["placed", "approved", "delivered", "cancelled"] as const;
type Status = (typeof STATUSES)[number];

/** The changes that lead to each status. */
const WAYS: Record<Status, Status[]> = {
  placed: [],
  approved: ["approved"],
  delivered: ["approved", "delivered"],
  cancelled: ["cancelled"],
};
const ALLOWED: Record<Status, Status[]> = {
  placed: ["approved", "cancelled"],
  approved: ["delivered", "cancelled"],
  delivered: [],
  cancelled: [],
};
const PETS: Record<Status, string> = {
  placed: "pending",
  approved: "pending",
  delivered: "sold",
  cancelled: "available",
};

const patch = (path: string, status: string, headers: Record<string, string> = {}) =>
  client.patch(path, { status }, { "Content-Type": "application/merge-patch+json", ...headers });
const petOf = async ({ petId }: { petId: number }) => (await client.get(`/v1/pets?ids=${petId}`)).body[0];

/** Places an order for a new pet, and takes it to a status. */
async function orderWith(status: Status): Promise<string> {
  const { body: pet } = await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
  const path = locationOf(await client.post("/v1/store/orders", { petId: pet.id }));
  for (const step of WAYS[status]) expect((await patch(path, step)).status).toBe(200);
  return path;
}

const transitions = STATUSES.flatMap((from) => STATUSES.map((to): [Status, Status] => [from, to]));

test.each(transitions)("%s to %s", async (from, to) => {
  states("docs/quick-start.md", "The pet is sold:");
  states(
    "docs/orders.md",
    "| `placed`, `approved`, `delivered` or `cancelled`. |",
    "`delivered` and `cancelled` are final.",
    "Each change gives the order another ETag.",
    "200 | Order | The order was changed.",
    "409 | Error, `invalid_transition` | The status cannot follow the current one.",
  );
  const path = await orderWith(from);
  const before = await client.get(path);
  const answer = await patch(path, to);
  const after = await client.get(path);
  if (ALLOWED[from].includes(to)) {
    expect(answer).toMatchObject({ status: 200, body: { ...before.body, status: to } });
    expect([after.text, after.headers.get("ETag")]).toEqual([answer.text, answer.headers.get("ETag")]);
    expect(after.headers.get("ETag")).toBe(`"v${WAYS[from].length + 2}"`);
  } else {
    const rest = ALLOWED[from].length === 0 ? ": this status is final." : `, only ${ALLOWED[from].join(" or ")}.`;
    const message = `An order that is ${from} cannot become ${to}${rest}`;
    expect(answer).toMatchObject({ status: 409, body: { code: "invalid_transition", message } });
    expect([after.text, after.headers.get("ETag")]).toEqual([before.text, before.headers.get("ETag")]);
  }
  expect((await petOf(after.body)).status).toBe(PETS[after.body.status as Status]);
});

test("updatedAt is when the order last changed, createdAt when it was placed", async () => {
  describes("Order.createdAt", "When the order was placed.");
  states("docs/orders.md", "RFC 3339, in UTC, with milliseconds.");
  const path = await orderWith("placed");
  const { body: before } = await client.get(path);
  await service.advance({ seconds: 90 });
  const { body } = await patch(path, "approved");
  expect(body.createdAt).toBe(before.createdAt);
  expect(body.updatedAt).toBe(new Date(service.now).toISOString());
  states(
    "docs/orders.md",
    "| `createdAt` | string | When the order was placed:",
    "| `updatedAt` | string | When the order last changed. |",
  );
});

test("a pet whose order was cancelled can be ordered again, and changed", async () => {
  const path = await orderWith("cancelled");
  const { petId } = (await client.get(path)).body;
  expect((await client.post("/v1/store/orders", { petId })).status).toBe(201);
  const other = (await client.get(await orderWith("cancelled"))).body.petId;
  expect((await client.patch(`/v1/pets/${other}`, { status: "sold" })).status).toBe(200);
});

test("an order outlives its pet", async () => {
  describes("Order.petId", "The pet that was ordered. It may have been removed since.");
  describes("getOrder", "Orders outlive their pets.");
  for (const status of ["delivered", "cancelled"] as const) {
    const path = await orderWith(status);
    const { text, body } = await client.get(path);
    expect((await client.delete(`/v1/pets/${body.petId}`)).status).toBe(204);
    expect((await client.get(path)).text).toBe(text);
    expect((await client.get(`/v1/store/orders?petId=${body.petId}`)).text).toBe(`[${text}]`);
    expect(await patch(path, "approved")).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
  }
  states("docs/orders.md", "It may have been removed since: orders outlive their pets.");
});

test("with If-None-Match it changes any state but the one that is excluded", async () => {
  states("docs/orders.md", "It takes `If-None-Match` too.", "or one of those in `If-None-Match`.");
  const path = await orderWith("placed");
  for (const match of ['"v1"', "*"]) {
    expect((await patch(path, "approved", { "If-None-Match": match })).body.code).toBe("precondition_failed");
  }
  expect((await patch(path, "approved", { "If-None-Match": '"v2"' })).status).toBe(200);
  states(
    "docs/changing-pets.md",
    "`If-None-Match` is the opposite: the change is made only if the resource has none of these ETags.",
  );
});

describe("with If-Match", () => {
  test.each(['"v1"', 'W/"v1"', '"v7", "v1"', "*", '"a,b","v1"', '"v1",'])(
    "%s the current state is changed",
    async (match) => {
      expect((await patch(await orderWith("placed"), "approved", { "If-Match": match })).status).toBe(200);
    },
  );

  test.each(['"v2"', "v1", '"v1', '"1"', "", '"V1"'])("%s it is 412, and nothing is changed", async (match) => {
    const path = await orderWith("placed");
    expect(await patch(path, "approved", { "If-Match": match })).toMatchObject({
      status: 412,
      body: { code: "precondition_failed" },
    });
    expect((await client.get(path)).body.status).toBe("placed");
  });

  test("another ETag is 412 before the transition is refused", async () => {
    states(
      "docs/orders.md",
      "Send it in `If-Match` to change only the state that you have seen.",
      "412 | Error, `precondition_failed` | The order has none of the ETags in `If-Match`,",
    );
    const path = await orderWith("delivered");
    expect((await patch(path, "placed", { "If-Match": '"v1"' })).status).toBe(412);
    expect((await patch(path, "placed", { "If-Match": '"v3"' })).status).toBe(409);
  });
});

const ONE_OF = "must be one of placed, approved, delivered, cancelled";

describe("is refused with what the field must be:", () => {
  test.each([
    ["{}", "status", "is required"],
    ['{"petId":1}', "status", "is required"],
    ['{"status":null}', "status", ONE_OF],
    ['{"status":"sold"}', "status", ONE_OF],
    ['{"status":"Approved"}', "status", ONE_OF],
    ["[]", "", "must be a JSON object with status"],
  ])("%s", async (body, field, problem) => {
    const path = await orderWith("placed");
    expect(await client.patch(path, body)).toMatchObject({
      status: 400,
      body: { code: "validation_failed", details: [{ in: "body", field, problem }] },
    });
    expect((await client.get(path)).headers.get("ETag")).toBe('"v1"');
  });
});

test("takes a merge patch or plain JSON, and ignores other fields", async () => {
  const path = await orderWith("placed");
  const { body: before } = await client.get(path);
  const body = { status: "approved", id: 99, petId: 99, createdAt: "1970-01-01T00:00:00Z" };
  expect(await client.patch(path, body)).toMatchObject({ status: 200, body: { ...before, status: "approved" } });
  expect((await client.patch(path, body, { "Content-Type": "text/plain" })).status).toBe(415);
  states(
    "docs/orders.md",
    "with the new `status`, which is required, as `application/merge-patch+json` or `application/json`.",
  );
});

test.each(["0", "-1", "01", "1.0", "abc", "%00", "9223372036854775808", "999999"])("order %s is 404", async (id) => {
  states(
    "docs/orders.md",
    "404 | Error, `order_not_found` | There is no such order.",
    "called getOrder, returns one order, or 404 `order_not_found`.",
    "404 | Error, `order_not_found`: of one order",
  );
  const missing = { status: 404, body: { code: "order_not_found" } };
  expect(await patch(`/v1/store/orders/${id}`, "approved")).toMatchObject(missing);
  expect(await client.get(`/v1/store/orders/${id}`)).toMatchObject(missing);
});
