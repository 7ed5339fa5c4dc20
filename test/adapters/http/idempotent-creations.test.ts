import { describe, expect, test } from "bun:test";
import { startService } from "../../support/service.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service);

const addPet = async (): Promise<number> => (await client.post("/v1/pets", { name: "Rex", categoryId: 1 })).body.id;
const placeWith = (key: string, petId: number) =>
  client.post("/v1/store/orders", { petId }, { "Idempotency-Key": key });
const createWith = (key: string, name: string) => client.post("/v1/categories", { name }, { "Idempotency-Key": key });

const REUSED = { status: 422, body: { code: "idempotency_key_reused" } };

describe("a repeated request creates nothing and gets the first response:", () => {
  test("an order, also after it and its pet have changed", async () => {
    const petId = await addPet();
    const first = await placeWith("order", petId);
    expect(first.status).toBe(201);
    expect(first.headers.has("Idempotency-Replayed")).toBe(false);
    const again = async () => {
      const answer = await placeWith("order", petId);
      expect([answer.status, answer.text]).toEqual([201, first.text]);
      for (const name of ["Location", "ETag"]) expect(answer.headers.get(name)).toBe(first.headers.get(name));
      expect(answer.headers.get("Idempotency-Replayed")).toBe("true");
    };
    await again();
    await service.advance({ seconds: 60 });
    await client.patch(`/v1/store/orders/${first.body.id}`, { status: "cancelled" });
    await again();
    expect((await client.get(`/v1/pets?ids=${petId}`)).body[0].status).toBe("available");
    await client.delete(`/v1/pets/${petId}`);
    await again();
    expect((await client.get(`/v1/store/orders?petId=${petId}`)).body).toHaveLength(1);
  });

  test("a category, also after it has another name", async () => {
    const first = await createWith("category", "Dogs");
    await client.put(`/v1/categories/${first.body.id}`, { name: "Hounds" });
    const again = await createWith("category", "Dogs");
    expect([again.status, again.text]).toEqual([201, first.text]);
    for (const name of ["Location", "ETag"]) expect(again.headers.get(name)).toBe(first.headers.get(name));
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    expect((await client.get("/v1/categories?name=dogs")).body).toEqual([]);
  });
});

test("the same key with other contents is 422, and creates nothing", async () => {
  const [petId, other] = [await addPet(), await addPet()];
  await placeWith("other pet", petId);
  expect(await placeWith("other pet", other)).toMatchObject(REUSED);
  expect((await client.get(`/v1/pets?ids=${other}`)).body[0].status).toBe("available");
  await createWith("other name", "Cats");
  expect(await createWith("other name", "CATS")).toMatchObject(REUSED);
  expect(await createWith("other name", "Birds")).toMatchObject(REUSED);
  expect((await client.get("/v1/categories?name=birds")).body).toEqual([]);
});

test("a key of one operation is 422 for every other one, in both directions", async () => {
  const petId = await addPet();
  const creations: [string, () => ReturnType<typeof placeWith>][] = [
    ["a pet", () => client.post("/v1/pets", { name: "Shared", categoryId: 1 }, { "Idempotency-Key": "a pet" })],
    ["a category", () => createWith("a category", "Shared")],
    ["an order", () => placeWith("an order", petId)],
  ];
  for (const [, create] of creations) expect((await create()).status).toBe(201);
  for (const [key] of creations) {
    if (key !== "a pet")
      expect(
        await client.post("/v1/pets", { name: "Shared", categoryId: 1 }, { "Idempotency-Key": key }),
      ).toMatchObject(REUSED);
    if (key !== "a category") expect(await createWith(key, "Shared")).toMatchObject(REUSED);
    if (key !== "an order") expect(await placeWith(key, petId)).toMatchObject(REUSED);
  }
  for (const [, create] of creations) expect((await create()).headers.get("Idempotency-Replayed")).toBe("true");
});

test("of concurrent requests one creates, the others get 409 with Retry-After", async () => {
  const petId = await addPet();
  for (const create of [() => placeWith("at once", petId), () => createWith("at the same time", "Once")]) {
    const answers = await Promise.all(Array.from({ length: 20 }, create));
    const created = answers.filter(({ status }) => status === 201);
    expect(new Set(created.map(({ text }) => text)).size).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(answer).toMatchObject({ status: 409, body: { code: "idempotency_in_progress" } });
      expect(answer.headers.get("Retry-After")).toBe("1");
    }
  }
  expect((await client.get(`/v1/store/orders?petId=${petId}`)).body).toHaveLength(1);
});

test("a refusal is not remembered", async () => {
  const petId = await addPet();
  const { body: order } = await client.post("/v1/store/orders", { petId });
  expect(await placeWith("refused", petId)).toMatchObject({ status: 409, body: { code: "pet_not_available" } });
  expect(await placeWith("refused", 999_999)).toMatchObject({ status: 404, body: { code: "pet_not_found" } });
  await client.patch(`/v1/store/orders/${order.id}`, { status: "cancelled" });
  const placed = await placeWith("refused", petId);
  expect([placed.status, placed.headers.has("Idempotency-Replayed")]).toEqual([201, false]);

  await client.post("/v1/categories", { name: "Taken" });
  expect(await createWith("taken", "TAKEN")).toMatchObject({ status: 409, body: { code: "category_exists" } });
  expect((await createWith("taken", "Free")).status).toBe(201);
});

test("an invalid key is refused by each creation, and ignored by changes", async () => {
  for (const path of ["/v1/store/orders", "/v1/categories"]) {
    expect(await client.post(path, { petId: 1, name: "x" }, { "Idempotency-Key": "" })).toMatchObject({
      status: 400,
      body: { code: "invalid_parameter", details: [{ in: "header", field: "Idempotency-Key" }] },
    });
  }
  expect((await client.put("/v1/categories/500", { name: "Put" }, { "Idempotency-Key": "" })).status).toBe(201);
});

test("a key is remembered for 24 hours, over a restart", async () => {
  await using own = await startService();
  const { secret } = await own.createKey();
  const its = () => own.withSecret(secret);
  const { body: pet } = await its().post("/v1/pets", { name: "Rex", categoryId: 1 });
  const place = () => its().post("/v1/store/orders", { petId: pet.id }, { "Idempotency-Key": "day" });
  const first = await place();
  await own.stop();
  await own.start({ now: own.now + (86_400 - 60) * 1000 });
  expect((await place()).text).toBe(first.text);
  await own.advance({ seconds: 60 });
  expect(await place()).toMatchObject({ status: 409, body: { code: "pet_not_available" } });
});
