import { expect, test } from "bun:test";
import { states } from "../../support/markdown.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService({ env: { PETSTORE_CATEGORY_CHECK: "on" } });
const { client } = useKey(service);

const refusal = {
  status: 400,
  body: {
    code: "validation_failed",
    details: [{ in: "body", field: "categoryId", problem: "must be the id of a category" }],
  },
};

test("a pet can only get a category that exists, by creation and by change", async () => {
  states("docs/interface.md", "unless the operator has turned the check on.");
  states("docs/errors.md", "With the check of categories on, also a `categoryId` that no category has.");
  states(
    "docs/categories.md",
    "With `PETSTORE_CATEGORY_CHECK=on` the service refuses a pet that would get a `categoryId` without a category: 400 `validation_failed`,",
  );
  const pet = { name: "Rex", categoryId: 7 };
  expect(await client.post("/v1/pets", pet)).toMatchObject(refusal);
  expect(await client.post("/v1/pets", pet, { "Idempotency-Key": "rex" })).toMatchObject(refusal);
  await client.put("/v1/categories/7", { name: "Dogs" });
  const { status, body } = await client.post("/v1/pets", pet, { "Idempotency-Key": "rex" });
  expect(status).toBe(201);
  const path = `/v1/pets/${body.id}`;
  expect(await client.patch(path, { categoryId: 8 })).toMatchObject(refusal);
  expect((await client.patch(path, { categoryId: 7, name: "Max" })).status).toBe(200);
  await client.put("/v1/categories/-8", { name: "Cats" });
  expect((await client.patch(path, { categoryId: -8 })).status).toBe(200);
  expect((await client.delete("/v1/categories/7")).status).toBe(204);
  expect(await client.patch(path, { categoryId: 7 })).toMatchObject(refusal);
  states("docs/categories.md", "unless the operator has turned on the check.");
});

test("it is part of the validation: it comes before the existence of the pet, and before If-Match", async () => {
  expect(await client.patch("/v1/pets/99", { categoryId: 99 })).toMatchObject(refusal);
  const { body } = await client.get("/v1/pets?limit=1");
  const path = `/v1/pets/${body[0].id}`;
  expect(await client.patch(path, { categoryId: 99 }, { "If-Match": '"v99"' })).toMatchObject(refusal);
  expect((await client.patch(path, { categoryId: -8 }, { "If-Match": '"v99"' })).status).toBe(412);
});

test("a category that a pet has cannot be removed, so every pet has one that exists", async () => {
  expect(await client.delete("/v1/categories/-8")).toMatchObject({ status: 409, body: { code: "category_in_use" } });
});
