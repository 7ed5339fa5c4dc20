import { describe, expect, test } from "bun:test";
import { locationOf } from "../../support/client.ts";
import { describes } from "../../support/descriptions.ts";
import { states } from "../../support/markdown.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service);

const addPet = async (status = "available"): Promise<number> =>
  (await client.post("/v1/pets", { name: "Rex", categoryId: 1, status })).body.id;
const place = (petId: unknown) => client.post("/v1/store/orders", { petId });
const statusOf = async (id: number) => (await client.get(`/v1/pets?ids=${id}`)).body[0].status;

test("orders a pet, which becomes pending, and says where the order is", async () => {
  states(
    "docs/orders.md",
    "POST /store/orders`, called placeOrder, orders a pet that is `available`.",
    "`updatedAt` | string | When the order last changed.",
  );
  describes("placeOrder 201", "The order was placed, and the pet is pending.");
  states(
    "docs/orders.md",
    "201 | Order | The order was placed.",
    "`petId`, and optionally `reference`.",
    "how long an order may be placed (`PETSTORE_ORDER_EXPIRY`; by default it is not bounded).",
  );
  const petId = await addPet();
  const placed = await place(petId);
  const at = new Date(service.now).toISOString();
  expect(placed.status).toBe(201);
  const pet = { name: "Rex", categoryId: 1 };
  expect(placed.body).toEqual({ id: placed.body.id, petId, pet, status: "placed", createdAt: at, updatedAt: at });
  expect(Object.keys(placed.body)).toEqual(["id", "petId", "pet", "status", "createdAt", "updatedAt"]);
  expect(placed.headers.get("ETag")).toBe('"v1"');
  const path = locationOf(placed);
  expect(path).toBe(`/v1/store/orders/${placed.body.id}`);
  const read = await client.get(path);
  expect([read.status, read.text, read.headers.get("ETag")]).toEqual([200, placed.text, '"v1"']);
  expect(await statusOf(petId)).toBe("pending");
  expect((await client.get(`/v1/pets/${petId}`)).headers.get("ETag")).toBe('"v2"');
  states(
    "docs/orders.md",
    "orders a pet that is `available`. The pet becomes `pending` in the same transaction. `Location` is the URL of the order.",
  );
});

test("an order says what was sold, to the digit, after the pet was renamed and removed, and to a repeated request", async () => {
  states(
    "docs/orders.md",
    "What was sold: the `name` and the `categoryId` that the pet had when it was ordered, also after it was changed or removed. Null only for an order from before orders kept it, whose pet had been removed.",
  );
  describes("Order.pet", "The pet as it was when it was ordered.");
  const text = '{"name":"Größe \u{1f436}","categoryId":9223372036854775807}';
  const headers = { "Content-Type": "application/json" };
  const { body: pet } = await client.request("/v1/pets", { method: "POST", headers, body: text });
  const order = { petId: pet.id, reference: "Nº 7/\u{1f436}" };
  const placed = await client.post("/v1/store/orders", order, { "Idempotency-Key": `sold ${pet.id}` });
  expect(placed.text).toContain(`"pet":${text},"status":"placed","reference":"Nº 7/\u{1f436}",`);
  await client.patch(`/v1/pets/${pet.id}`, { name: "Max", categoryId: 2 });
  await client.patch(`/v1/store/orders/${placed.body.id}`, { status: "cancelled" });
  await client.delete(`/v1/pets/${pet.id}`);
  expect((await client.get(`/v1/store/orders/${placed.body.id}`)).text).toContain(`"pet":${text},"status":"cancelled"`);
  const again = await client.post("/v1/store/orders", order, { "Idempotency-Key": `sold ${pet.id}` });
  expect([again.status, again.text]).toEqual([201, placed.text]);
  const other = await client.post("/v1/store/orders", { petId: pet.id }, { "Idempotency-Key": `sold ${pet.id}` });
  expect(other.body.code).toBe("idempotency_key_reused");
});

test.each(["", " ", "a\n", "x".repeat(101), 7, null])(
  "%p is no reference, and nothing is ordered",
  async (reference) => {
    const petId = await addPet();
    const refused = await client.post("/v1/store/orders", { petId, reference });
    expect([refused.status, refused.body.code, refused.body.details[0].field]).toEqual([
      ...[400, "validation_failed", "reference"],
    ]);
    expect(await statusOf(petId)).toBe("available");
    states("docs/orders.md", "1 to 100 characters, not blank, without control characters, kept as it is.");
  },
);

test("ids of orders increase", async () => {
  const ids = [(await place(await addPet())).body.id, (await place(await addPet())).body.id];
  expect(ids[0]).toBeGreaterThan(0);
  expect(ids[1]).toBeGreaterThan(ids[0]);
});

describe("a pet that is not available is 409, and stays as it is:", () => {
  test("is what the documents say", () => {
    states("docs/errors.md", "The pet that you order is pending or sold.");
  });
  test.each(["pending", "sold"])("%s", async (status) => {
    states(
      "docs/orders.md",
      "409 | Error, `pet_not_available` or `idempotency_in_progress` | The pet is pending or sold,",
    );
    const petId = await addPet(status);
    expect(await place(petId)).toMatchObject({
      status: 409,
      body: { code: "pet_not_available", message: `This pet is ${status}. Only an available pet can be ordered.` },
    });
    expect((await client.get(`/v1/pets/${petId}`)).headers.get("ETag")).toBe('"v1"');
    expect((await client.get(`/v1/store/orders?petId=${petId}`)).body).toEqual([]);
  });

  test("one that is ordered already", async () => {
    states("docs/quick-start.md", "It is then `pending`, and nobody else can order it:");
    states("docs/orders.md", "A second order for the same pet is refused, without it and with another one:");
    const petId = await addPet();
    expect((await place(petId)).status).toBe(201);
    expect(await statusOf(petId)).toBe("pending");
    const other = await client.post("/v1/store/orders", { petId }, { "Idempotency-Key": `again ${petId}` });
    for (const refused of [await place(petId), other])
      expect(refused).toMatchObject({ status: 409, body: { code: "pet_not_available" } });
    expect((await client.get(`/v1/store/orders?petId=${petId}`)).body).toHaveLength(1);
  });
});

test("of many clients that order a pet at once, exactly one gets it", async () => {
  states(
    "CHANGELOG.md",
    "An order holds its pet until it is delivered or cancelled; of any number of clients exactly one gets a pet.",
    "existing keys keep the scopes that they have.",
  );
  describes("placeOrder", "Of several clients that order the same pet, exactly one gets it.");
  for (let round = 0; round < 5; round++) {
    const petId = await addPet();
    const answers = await Promise.all(Array.from({ length: 16 }, () => place(petId)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 15 }, () => 409)]);
    expect((await client.get(`/v1/store/orders?petId=${petId}`)).body).toHaveLength(1);
  }
  states(
    "docs/orders.md",
    "of any number of clients that order a pet at once, on any number of nodes, exactly one gets it.",
  );
});

describe("while an order holds a pet", () => {
  test("its status and its removal are 409, naming the order; its name can change", async () => {
    states(
      "docs/errors.md",
      "An order holds the pet: its status changes with the order alone, and it cannot be removed.",
      "Deliver or cancel the order that the message names: Orders.",
    );
    states(
      "docs/changing-pets.md",
      "While an order holds the pet, any other status is 409 `pet_reserved`, which names the order.",
      "or an order holds the pet.",
      "removes a pet for good, unless an order holds it.",
      "409 | Error, `pet_reserved` | An order holds the pet.",
    );
    const petId = await addPet();
    const { body: order } = await place(petId);
    const path = `/v1/pets/${petId}`;
    const reserved = {
      status: 409,
      body: {
        code: "pet_reserved",
        message: `Order ${order.id} holds this pet. Deliver or cancel the order to change the pet's status or remove it.`,
      },
    };
    for (const status of ["available", "sold"]) expect(await client.patch(path, { status })).toMatchObject(reserved);
    expect(await client.patch(path, { status: "sold", name: "Max" })).toMatchObject(reserved);
    expect(await client.delete(path)).toMatchObject(reserved);
    expect(await client.patch(path, { status: "pending", name: "Max" })).toMatchObject({
      status: 200,
      body: { status: "pending", name: "Max" },
    });
    states(
      "docs/orders.md",
      "a change of its status and `DELETE` are 409 `pet_reserved`, with the order in the message. Its name and its category can change.",
    );
  });

  test("another ETag in If-Match is 412 before that", async () => {
    const petId = await addPet();
    await place(petId);
    const condition = { "If-Match": '"v1"' };
    expect((await client.patch(`/v1/pets/${petId}`, { status: "sold" }, condition)).status).toBe(412);
    expect((await client.delete(`/v1/pets/${petId}`, condition)).status).toBe(412);
  });
});

test.each(["0", "-1", "999999", "9223372036854775807", "-9223372036854775808"])("pet %s is 404", async (petId) => {
  states("docs/errors.md", "The path, or the `petId` of an order, names something that is not the id of a pet,");
  expect(await client.post("/v1/store/orders", `{"petId":${petId}}`)).toMatchObject({
    status: 404,
    body: { code: "pet_not_found" },
  });
});

test("a removed pet is 404", async () => {
  states("docs/errors.md", "of a pet, or of one that was removed.");
  const petId = await addPet();
  await client.delete(`/v1/pets/${petId}`);
  expect(await place(petId)).toMatchObject({ status: 404, body: { code: "pet_not_found" } });
});

const INT64 = "must be an integer from -9223372036854775808 to 9223372036854775807";

describe("is refused with what the field must be:", () => {
  test.each([
    ["{}", "petId", "is required"],
    ['{"petId":null}', "petId", INT64],
    ['{"petId":"1"}', "petId", INT64],
    ['{"petId":1.5}', "petId", INT64],
    ['{"petId":9223372036854775808}', "petId", INT64],
    ["[]", "", "must be a JSON object with petId and optionally reference"],
    ["1", "", "must be a JSON object with petId and optionally reference"],
  ])("%s", async (body, field, problem) => {
    expect(await client.post("/v1/store/orders", body)).toMatchObject({
      status: 400,
      body: { code: "validation_failed", details: [{ in: "body", field, problem }] },
    });
  });

  test("what is not JSON", async () => {
    expect(await client.post("/v1/store/orders", "{")).toMatchObject({ status: 400, body: { code: "invalid_json" } });
  });
});

test("integers may have any notation, and unknown fields are ignored", async () => {
  const petId = await addPet();
  const body = `{"petId":${petId}.0,"status":"delivered","quantity":7}`;
  expect(await client.post("/v1/store/orders", body)).toMatchObject({ status: 201, body: { petId, status: "placed" } });
});
