import { describe, expect, test } from "bun:test";
import { locationOf } from "../../support/client.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service);

const addPet = async (status = "available"): Promise<number> =>
  (await client.post("/v1/pets", { name: "Rex", categoryId: 1, status })).body.id;
const place = (petId: unknown) => client.post("/v1/store/orders", { petId });
const statusOf = async (id: number) => (await client.get(`/v1/pets?ids=${id}`)).body[0].status;

test("orders a pet, which becomes pending, and says where the order is", async () => {
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
});

test("an order says what was sold, to the digit, after the pet was renamed and removed, and to a repeated request", async () => {
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
  },
);

test("ids of orders increase", async () => {
  const ids = [(await place(await addPet())).body.id, (await place(await addPet())).body.id];
  expect(ids[0]).toBeGreaterThan(0);
  expect(ids[1]).toBeGreaterThan(ids[0]);
});

describe("a pet that is not available is 409, and stays as it is:", () => {
  test.each(["pending", "sold"])("%s", async (status) => {
    const petId = await addPet(status);
    expect(await place(petId)).toMatchObject({
      status: 409,
      body: { code: "pet_not_available", message: `This pet is ${status}. Only an available pet can be ordered.` },
    });
    expect((await client.get(`/v1/pets/${petId}`)).headers.get("ETag")).toBe('"v1"');
    expect((await client.get(`/v1/store/orders?petId=${petId}`)).body).toEqual([]);
  });

  test("one that is ordered already", async () => {
    const petId = await addPet();
    expect((await place(petId)).status).toBe(201);
    expect(await place(petId)).toMatchObject({ status: 409, body: { code: "pet_not_available" } });
    expect((await client.get(`/v1/store/orders?petId=${petId}`)).body).toHaveLength(1);
  });
});

test("of many clients that order a pet at once, exactly one gets it", async () => {
  for (let round = 0; round < 5; round++) {
    const petId = await addPet();
    const answers = await Promise.all(Array.from({ length: 16 }, () => place(petId)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 15 }, () => 409)]);
    expect((await client.get(`/v1/store/orders?petId=${petId}`)).body).toHaveLength(1);
  }
});

describe("while an order holds a pet", () => {
  test("its status and its removal are 409, naming the order; its name can change", async () => {
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
  expect(await client.post("/v1/store/orders", `{"petId":${petId}}`)).toMatchObject({
    status: 404,
    body: { code: "pet_not_found" },
  });
});

test("a removed pet is 404", async () => {
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
