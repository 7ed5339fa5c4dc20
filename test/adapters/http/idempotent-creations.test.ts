import { describe, expect, test } from "bun:test";
import { operations } from "../../../src/adapters/http/operations/index.ts";
import { scopes } from "../../../src/domain/keys/key.ts";
import { states } from "../../support/markdown.ts";
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
    states(
      "docs/idempotency.md",
      "If a connection breaks before the response to a creation arrives, you cannot know whether the pet was added, or the order placed.",
    );
    states(
      "docs/idempotency.md",
      "the same key and request again | The first 201 again: the same body, with `Idempotency-Replayed: true`, also if what it created has been changed or removed since: what exists and its status are not checked again.",
    );
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
    states("docs/orders.md", "if the response is lost, the repeated request gets it, and does not order again.");
  });

  test("a category, also after it has another name", async () => {
    states("docs/categories.md", "It takes an Idempotency-Key.");
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
  states("docs/errors.md", "or with other contents.");
  states(
    "docs/orders.md",
    "422 | Error, `idempotency_key_reused` | The `Idempotency-Key` was sent with another request.",
  );
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
  states("docs/call-it.md", "send an `Idempotency-Key` with each `POST`, and a retry creates nothing twice.");
  states("docs/errors.md", "for another operation,");
  states(
    "docs/categories.md",
    "422 | Error, `idempotency_key_reused` | The `Idempotency-Key` was sent with another request.",
  );
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
  states("docs/idempotency.md", "Another request is for another operation, or has other fields;");
});

test("of concurrent requests one creates, the others get 409 with Retry-After", async () => {
  states(
    "docs/errors.md",
    "The first request with this `Idempotency-Key` is still being processed.",
    "Retry after `Retry-After`: Idempotency.",
  );
  states("docs/categories.md", "or the first request with this key is still being processed.");
  states("docs/orders.md", "or the first request with this key is still being processed.");
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
  states("docs/interface.md", "Every `POST` takes an Idempotency-Key.");
  states("docs/errors.md", "or the header `Idempotency-Key` is not 1 to 255 printable ASCII characters,");
  states(
    "docs/categories.md",
    "400 | Error, `invalid_json`, `validation_failed` or `invalid_parameter` | The body or the `Idempotency-Key` is invalid.",
  );
  states("docs/orders.md", "or the `Idempotency-Key` is invalid.");
  const own = await service.withKey({ scopes: [...scopes] });
  const pet = { name: "x", categoryId: 1 };
  for (const { path } of operations.filter(({ method }) => method === "post")) {
    expect(await own.post(`/v1${path}`, { ...pet, petId: 1, pets: [pet] }, { "Idempotency-Key": "" })).toMatchObject({
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
