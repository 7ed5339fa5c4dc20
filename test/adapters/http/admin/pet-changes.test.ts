import { describe, expect, test } from "bun:test";
import { describes } from "../../../support/descriptions.ts";
import { states } from "../../../support/markdown.ts";
import { useOperator, useService } from "../../../support/use-service.ts";

const service = useService();
const { client: admin, operator } = useOperator(service);

const JSON_TYPE = { "Content-Type": "application/json" };
const add = async (pet: object = {}) =>
  (await admin.post("/admin/v1/pets", { name: "Rex", categoryId: 7, ...pet })).body.id as number;
const change = (id: number | string, body: unknown, headers: Record<string, string> = {}) =>
  admin.request(`/admin/v1/pets/${id}`, {
    method: "PATCH",
    headers: { ...JSON_TYPE, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const remove = (id: number | string, headers: Record<string, string> = {}) =>
  admin.request(`/admin/v1/pets/${id}`, { method: "DELETE", headers });
const entriesOf = async (id: number) => (await admin.get(`/admin/v1/audit?target=${id}`)).body.entries;
const idsOf = async (query: string) =>
  (await admin.get(`/admin/v1/pets?${query}`)).body.pets.map(({ id }: { id: number }) => id);

test("a pet is read with the ETag of its state", async () => {
  describes("getPet", "Returns a pet with its ETag.");
  const added = await admin.post("/admin/v1/pets", { name: "Rex", categoryId: 7 });
  const answer = await admin.get(`/admin/v1/pets/${added.body.id}`);
  expect([answer.text, answer.headers.get("ETag")]).toEqual([added.text, added.headers.get("ETag")]);
  expect(answer.headers.get("ETag")).toBe('"v1"');
});

describe("a change", () => {
  test("changes the fields of the body, to the digit, with its audit entry", async () => {
    const id = await add();
    const answer = await change(id, '{"categoryId":-9223372036854775808,"status":"sold"}', {
      "X-Request-Id": "sell-1",
    });
    expect(answer.text).toBe(`{"id":${id},"name":"Rex","categoryId":-9223372036854775808,"status":"sold"}`);
    expect(answer.headers.get("ETag")).toBe('"v2"');
    expect(await entriesOf(id)).toMatchObject([
      {
        action: "pet.update",
        target: String(id),
        operator: { id: operator.id, name: operator.name },
        requestId: "sell-1",
        before: { id, name: "Rex", categoryId: 7, status: "available" },
        after: { id, name: "Rex", status: "sold" },
      },
      { action: "pet.create", before: null, after: { id, name: "Rex", categoryId: 7, status: "available" } },
    ]);
  });

  test("that changes nothing, or is refused, has no audit entry", async () => {
    const id = await add({ status: "sold" });
    expect((await change(id, { status: "sold" })).headers.get("ETag")).toBe('"v1"');
    expect((await change(id, { status: "pending" })).body.code).toBe("invalid_transition");
    expect((await change(id, { status: "lost" })).body.code).toBe("validation_failed");
    expect(await entriesOf(id)).toMatchObject([{ action: "pet.create" }]);
  });

  test("with If-Match is made only in the state that is meant", async () => {
    states(
      "docs/administration.md",
      "each change takes it in `If-Match`, which the console sends, and in `If-None-Match`.",
      "The resource has none of the ETags in `If-Match`, or one of those in `If-None-Match`.",
    );
    const id = await add();
    expect((await change(id, { name: "Bo" }, { "If-Match": '"v2"' })).body.code).toBe("precondition_failed");
    expect((await change(id, { name: "Bo" }, { "If-None-Match": '"v2", "v1"' })).body.code).toBe("precondition_failed");
    expect((await change(id, { name: "Bo" }, { "If-Match": '"v1"' })).body.name).toBe("Bo");
    expect((await remove(id, { "If-Match": '"v1"' })).body.code).toBe("precondition_failed");
    expect((await remove(id, { "If-Match": "*" })).status).toBe(204);
  });

  test("is checked in the published order: existence, If-Match, state", async () => {
    const id = await add({ status: "sold" });
    const codeOf = async (pet: number, tag: string) =>
      (await change(pet, { status: "pending" }, { "If-Match": tag })).body.code;
    expect(await codeOf(id + 1_000_000, '"v2"')).toBe("pet_not_found");
    expect(await codeOf(id, '"v2"')).toBe("precondition_failed");
    expect(await codeOf(id, '"v1"')).toBe("invalid_transition");
  });

  test("of the status, and the removal, are refused while an order holds the pet", async () => {
    states(
      "docs/administration.md",
      "An order holds the pet: it cannot be removed, and its status is the order's business.",
    );
    const id = await add();
    const { created: order } = await service.stores.orders.place(BigInt(id), service.now);
    for (const answer of [await change(id, { status: "sold" }), await remove(id)]) {
      expect([answer.status, answer.body.code]).toEqual([409, "pet_reserved"]);
      expect(answer.body.message).toContain(`Order ${order.id} holds this pet.`);
    }
    expect((await change(id, { name: "Max" })).body).toMatchObject({ name: "Max", status: "pending" });
  });
});

test("a removal has its audit entry, and the pet is gone", async () => {
  describes("deletePet", "Removes a pet for good");
  const id = await add();
  expect(await remove(id)).toMatchObject({ status: 204, text: "" });
  expect((await entriesOf(id))[0]).toMatchObject({ action: "pet.delete", before: { id, name: "Rex" }, after: null });
  for (const answer of [await admin.get(`/admin/v1/pets/${id}`), await remove(id), await change(id, {})]) {
    expect([answer.status, answer.body.code]).toEqual([404, "pet_not_found"]);
  }
});

test.each(["0", "-1", "01", "rex", "9223372036854775808", "%7BpetId%7D"])("pet %s is 404", async (id) => {
  expect((await admin.get(`/admin/v1/pets/${id}`)).body.code).toBe("pet_not_found");
});

test("the list has all filters of the public one, and pages in both directions", async () => {
  states("docs/administration.md", "The filters are those of listPets");
  const ids = [];
  for (const name of ["Ada", "ADA", "Bea"]) ids.push(await add({ name, categoryId: 4_711 }));
  const [first, second, third] = ids;
  expect(await idsOf("categoryId=4711")).toEqual(ids);
  expect(await idsOf("categoryId=4711&name=ada")).toEqual([first, second]);
  expect(await idsOf(`ids=${third},${first}&categoryId=4711&status=available`)).toEqual([first, third]);
  const newest = await admin.get("/admin/v1/pets?categoryId=4711&order=desc&limit=2");
  expect(newest.body).toMatchObject({ pets: [{ id: third }, { id: second }], next: second });
  expect(await idsOf(`categoryId=4711&order=desc&limit=2&after=${newest.body.next}`)).toEqual([first]);
  expect((await admin.get("/admin/v1/pets?ids=0")).body.code).toBe("invalid_parameter");
});

test("the inventory counts pets by status, in the overview too", async () => {
  states(
    "docs/administration.md",
    "how many keys, pets",
    "`GET /admin/v1/inventory` | the number of pets of each status",
  );
  const before = (await admin.get("/admin/v1/inventory")).body;
  const id = await add();
  await add({ status: "pending" });
  await change(id, { status: "sold" });
  const after = { ...before, pending: before.pending + 1, sold: before.sold + 1 };
  expect((await admin.get("/admin/v1/inventory")).body).toEqual(after);
  expect((await admin.get("/admin/v1/overview")).body.pets).toEqual(after);
});
