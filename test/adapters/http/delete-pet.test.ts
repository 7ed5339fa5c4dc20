import { expect, test } from "bun:test";
import { describes } from "../../support/descriptions.ts";
import { states } from "../../support/markdown.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service);

const create = async (): Promise<number> => (await client.post("/v1/pets", { name: "Rex", categoryId: 7 })).body.id;
const remove = (id: number | string, headers: Record<string, string> = {}) =>
  client.request(`/v1/pets/${id}`, { method: "DELETE", headers });

test("removes the pet everywhere, and its id is never assigned again", async () => {
  describes("deletePet", "Its id is never assigned again.");
  states(
    "docs/changing-pets.md",
    "Afterwards the pet is in no list, and 404 `pet_not_found` by its id, which is never assigned again.",
    "404 | Error, `pet_not_found` | There is no such pet.",
  );
  const id = await create();
  const answer = await remove(id);
  expect([answer.status, answer.text]).toEqual([204, ""]);
  expect(answer.headers.has("Content-Type")).toBe(false);
  expect(await client.get(`/v1/pets/${id}`)).toMatchObject({ status: 404, body: { code: "pet_not_found" } });
  expect((await client.get(`/v1/pets?ids=${id}`)).body).toEqual([]);
  expect((await client.get("/v1/pets")).body).toEqual([]);
  expect(await remove(id)).toMatchObject({ status: 404, body: { code: "pet_not_found" } });
  expect(await create()).toBeGreaterThan(id);
  states(
    "docs/changing-pets.md",
    "Afterwards the pet is in no list, and 404 `pet_not_found` by its id, which is never assigned again.",
    "removes a pet for good",
  );
});

test("with If-None-Match it removes any state but the one that is excluded", async () => {
  states(
    "docs/changing-pets.md",
    "`If-None-Match` is the opposite: the change is made only if the resource has none of these ETags.",
    "204 | none | The pet was removed.",
    "or one of those in `If-None-Match`.",
  );
  const { id } = (await client.post("/v1/pets", { name: "Rex", categoryId: 1 })).body;
  for (const match of ['"v1"', 'W/"v1"', "*"]) {
    expect((await remove(id, { "If-None-Match": match })).body.code).toBe("precondition_failed");
  }
  expect((await remove(id, { "If-None-Match": '"v2"' })).status).toBe(204);
});

test("with If-Match it removes only the state that is meant", async () => {
  states("docs/changing-pets.md", "412 | Error, `precondition_failed` | The pet has none of the ETags in `If-Match`,");
  const id = await create();
  expect(await remove(id, { "If-Match": '"v2"' })).toMatchObject({
    status: 412,
    body: { code: "precondition_failed" },
  });
  expect((await remove(id, { "If-Match": "v1" })).status).toBe(412);
  expect((await client.get(`/v1/pets/${id}`)).status).toBe(200);
  expect((await remove(id, { "If-Match": '"v1"' })).status).toBe(204);
  const another = await create();
  expect((await remove(another, { "If-Match": "*" })).status).toBe(204);
  expect((await remove(another, { "If-Match": "*" })).status).toBe(404);
});

test("a body is ignored", async () => {
  const id = await create();
  const body = "{not json";
  expect((await client.request(`/v1/pets/${id}`, { method: "DELETE", body })).status).toBe(204);
});

test.each(["0", "-1", "01", "abc", "9223372036854775808"])("pet %s is 404", async (id) => {
  expect(await remove(id)).toMatchObject({ status: 404, body: { code: "pet_not_found" } });
});

test("needs the scope pets:write", async () => {
  const reader = await service.withKey({ scopes: ["pets:read"] });
  expect(await reader.request(`/v1/pets/${await create()}`, { method: "DELETE" })).toMatchObject({
    status: 403,
    body: { code: "insufficient_scope" },
  });
});

test("a creation that is retried after the removal returns the first response, and adds nothing", async () => {
  const headers = { "Idempotency-Key": "once" };
  const first = await client.post("/v1/pets", { name: "Rex", categoryId: 7 }, headers);
  await remove(first.body.id);
  const again = await client.post("/v1/pets", { name: "Rex", categoryId: 7 }, headers);
  expect([again.status, again.text, again.headers.get("ETag")]).toEqual([201, first.text, first.headers.get("ETag")]);
  expect((await client.get(`/v1/pets?ids=${first.body.id}`)).body).toEqual([]);
});
