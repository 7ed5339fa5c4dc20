import { expect, test } from "bun:test";
import { describes } from "../../support/descriptions.ts";
import { states } from "../../support/markdown.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service);

const create = async (name: string): Promise<number> => (await client.post("/v1/categories", { name })).body.id;
const at = (id: number) => `/v1/categories/${id}`;

test("removes a category everywhere", async () => {
  states("docs/errors.md", "of a category, or of one that was removed.");
  states(
    "docs/categories.md",
    "204 | none | The category was removed.",
    "404 | Error, `category_not_found` | There is no such category.",
    "`GET /categories/{categoryId}`, called getCategory, returns one category, or 404 `category_not_found`.",
  );
  const id = await create("Dogs");
  const removed = await client.delete(at(id));
  expect([removed.status, removed.text]).toEqual([204, ""]);
  const missing = { status: 404, body: { code: "category_not_found" } };
  expect(await client.get(at(id))).toMatchObject(missing);
  expect(await client.delete(at(id))).toMatchObject(missing);
  expect((await client.get("/v1/categories")).body).toEqual([]);
});

test("a category that a pet has is 409, until no pet has it", async () => {
  describes("deleteCategory", "Removes a category that no pet has.");
  states("docs/errors.md", "At least one pet has the category that you remove.", "Give its pets another `categoryId`:");
  states(
    "docs/categories.md",
    "`DELETE /categories/{categoryId}`, called deleteCategory, removes a category that no pet has.",
    "409 | Error, `category_in_use` | A pet has this category.",
  );
  const id = await create("Cats");
  const { body: pet } = await client.post("/v1/pets", { name: "Mia", categoryId: id, status: "sold" });
  expect(await client.delete(at(id))).toMatchObject({ status: 409, body: { code: "category_in_use" } });
  expect((await client.get(at(id))).status).toBe(200);
  expect((await client.patch(`/v1/pets/${pet.id}`, { categoryId: -1 })).status).toBe(200);
  expect((await client.delete(at(id))).status).toBe(204);

  const another = await create("Birds");
  const { body: bird } = await client.post("/v1/pets", { name: "Pip", categoryId: another });
  expect((await client.delete(at(another))).status).toBe(409);
  await client.delete(`/v1/pets/${bird.id}`);
  expect((await client.delete(at(another))).status).toBe(204);
});

test("with If-None-Match it removes any state but the one that is excluded", async () => {
  states("docs/categories.md", "or one of those in `If-None-Match`. | | 401");
  const added = await client.post("/v1/categories", { name: "Excluded" });
  const path = at(added.body.id);
  for (const match of [added.headers.get("ETag") ?? "", "*"]) {
    expect((await client.delete(path, { "If-None-Match": match })).body.code).toBe("precondition_failed");
  }
  expect((await client.delete(path, { "If-None-Match": '"v0"' })).status).toBe(204);
});

test("with If-Match it removes only the state that is meant, whether a pet has it or not", async () => {
  states(
    "docs/categories.md",
    "412 | Error, `precondition_failed` | The category has none of the ETags in `If-Match`, or one",
  );
  const id = await create("Fish");
  const tag = (await client.get(at(id))).headers.get("ETag") ?? "";
  const { body: pet } = await client.post("/v1/pets", { name: "Wanda", categoryId: id });
  expect((await client.delete(at(id), { "If-Match": '"other"' })).status).toBe(412);
  expect((await client.delete(at(id), { "If-Match": tag })).status).toBe(409);
  await client.delete(`/v1/pets/${pet.id}`);
  expect((await client.delete(at(id), { "If-Match": "malformed" })).status).toBe(412);
  expect((await client.delete(at(id), { "If-Match": `W/${tag}` })).status).toBe(204);
  expect((await client.delete(at(id), { "If-Match": "*" })).status).toBe(404);
});

test("a creation that is retried after the removal returns the first response, and adds nothing", async () => {
  const headers = { "Idempotency-Key": "once" };
  const first = await client.post("/v1/categories", { name: "Mice" }, headers);
  await client.delete(at(first.body.id));
  const again = await client.post("/v1/categories", { name: "Mice" }, headers);
  expect([again.status, again.text, again.headers.get("ETag")]).toEqual([201, first.text, first.headers.get("ETag")]);
  expect((await client.get(at(first.body.id))).status).toBe(404);
});
