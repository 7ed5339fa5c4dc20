import { describe, expect, test } from "bun:test";
import { BASE_URL } from "../../support/client.ts";
import { describes } from "../../support/descriptions.ts";
import { states } from "../../support/markdown.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service);

const detailsOf = (body: { details: { field: string }[] }) => body.details.map(({ field }) => field).sort();

test("an added pet is returned with all fields, listed and fetched", async () => {
  states(
    "docs/interface.md",
    "Whether such a category exists is not checked,",
    "the same fields, always with `status`, and",
  );
  const added = await client.post("/v1/pets", { name: "Rex", categoryId: 1, status: "sold" });
  expect(added.status).toBe(201);
  expect(added.body).toEqual({ id: added.body.id, name: "Rex", categoryId: 1, status: "sold" });
  expect(added.headers.get("Location")).toBe(`${BASE_URL}/pets/${added.body.id}`);
  expect((await client.get(`/v1/pets/${added.body.id}`)).body).toEqual(added.body);
  expect((await client.get(`/v1/pets?ids=${added.body.id}`)).body).toEqual([added.body]);
});

test("ids are positive and increase", async () => {
  describes("Pet.id", "Unique identifier, assigned by the service on creation. Positive, increasing, below 2^53.");
  const first = (await client.post("/v1/pets", { name: "A", categoryId: 1 })).body.id;
  const second = (await client.post("/v1/pets", { name: "B", categoryId: 1 })).body.id;
  expect(first).toBeGreaterThan(0);
  expect(second).toBeGreaterThan(first);
  states("docs/interface.md", "| `id` | integer (int64) | Assigned by the service. Positive, increasing, below 2⁵³.");
});

describe("status", () => {
  test("is available by default, and in every response", async () => {
    states(
      "docs/quick-start.md",
      "The response is the pet with its new id. `status` is `available` unless you send another one.",
    );
    const added = await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
    expect(added.body.status).toBe("available");
    expect((await client.get(`/v1/pets?ids=${added.body.id}`)).body[0].status).toBe("available");
    states(
      "docs/interface.md",
      "`status` | PetStatus | no | Default: `available`.",
      "the same fields, always with `status`, and",
    );
  });

  test.each(["available", "pending", "sold"])("may be %s", async (status) => {
    states("docs/interface.md", "PetStatus is one of `available`, `pending`, `sold`.");
    states("docs/changing-pets.md", "A pet can be created with any status.");
    expect((await client.post("/v1/pets", { name: "Rex", categoryId: 1, status })).body.status).toBe(status);
  });

  test.each([[null], [""], ["Sold"], ["gone"], [1], [true], [["sold"]], [{}]])("%p is refused", async (status) => {
    expect(await client.post("/v1/pets", { name: "Rex", categoryId: 1, status })).toMatchObject({
      status: 400,
      body: {
        code: "validation_failed",
        details: [{ in: "body", field: "status", problem: "must be one of available, pending, sold" }],
      },
    });
  });
});

describe("other fields of the body are ignored:", () => {
  test.each([1, 999_999, -1, "x", null])("an id of %p", async (id) => {
    states(
      "docs/interface.md",
      "`id` | integer (int64) | Assigned by the service.",
      "Fields that are not listed here are ignored, including an `id` in the body of a creation.",
    );
    const added = await client.post("/v1/pets", { id, name: "Rex", categoryId: 1 });
    expect(added.status).toBe(201);
    expect(added.body.id).not.toBe(id);
  });

  test("unknown fields of any depth", async () => {
    describes("NewPet", "Unknown fields are ignored.");
    const added = await client.post("/v1/pets", { name: "Rex", categoryId: 1, tags: [{ a: [1.5] }], Name: "Max" });
    expect(added.status).toBe(201);
    expect(Object.keys(added.body).sort()).toEqual(["categoryId", "id", "name", "status"]);
  });

  test.each([
    '{"name":"Rex","categoryId":1,"__proto__":{"status":"sold","isAdmin":true}}',
    '{"name":"Rex","categoryId":1,"constructor":{"prototype":{"status":"sold"}}}',
  ])("prototypes in %s", async (body) => {
    expect((await client.post("/v1/pets", body)).body.status).toBe("available");
    expect((await client.post("/v1/pets", { name: "Next", categoryId: 1 })).body.status).toBe("available");
  });

  test("but a prototype does not supply a missing field", async () => {
    const answer = await client.post("/v1/pets", '{"__proto__":{"name":"Rex","categoryId":1}}');
    expect(answer.status).toBe(400);
    expect(detailsOf(answer.body)).toEqual(["categoryId", "name"]);
  });
});

describe("a body", () => {
  test("without the required fields is refused with each of them", async () => {
    states(
      "docs/errors.md",
      "The body is JSON, but not valid for the operation: a field of the resource is missing or invalid,",
    );
    const answer = await client.post("/v1/pets", {});
    expect(answer).toMatchObject({ status: 400, body: { code: "validation_failed", status: 400 } });
    expect(answer.body.details).toEqual([
      { in: "body", field: "name", problem: "is required" },
      { in: "body", field: "categoryId", problem: "is required" },
    ]);
  });

  test("with three errors is refused with all three", async () => {
    const answer = await client.post("/v1/pets", { name: "", categoryId: 1.5, status: "gone" });
    expect(detailsOf(answer.body)).toEqual(["categoryId", "name", "status"]);
  });

  test.each(["null", "[]", '"Rex"', "1", "true", '[{"name":"Rex","categoryId":1}]'])(
    "%s is not a pet",
    async (body) => {
      expect(await client.post("/v1/pets", body)).toMatchObject({ status: 400, body: { code: "validation_failed" } });
    },
  );

  test("that is refused adds nothing", async () => {
    const before = await client.post("/v1/pets", { name: "Before", categoryId: 1 });
    await client.post("/v1/pets", { name: " ", categoryId: 1 });
    expect((await client.get(`/v1/pets?after=${before.body.id}`)).body).toEqual([]);
  });
});

describe("with a base address that has a path", () => {
  const base = "https://example.com/shops/7/v1";
  const shop = useService({ env: { PETSTORE_BASE_URL: base } });

  test("Location and Link begin with it", async () => {
    states("docs/interface.md", "and the paths of all operations follow it.");
    const buyer = await shop.withKey();
    for (const name of ["Rex", "Mia"]) {
      const { headers, body } = await buyer.post("/v1/pets", { name, categoryId: 1 });
      expect(headers.get("Location")).toBe(`${base}/pets/${body.id}`);
    }
    const order = await buyer.post("/v1/store/orders", { petId: 1 });
    expect(order.headers.get("Location")).toBe(`${base}/store/orders/1`);
    const category = await buyer.put("/v1/categories/-7", { name: "Dogs" });
    expect(category.headers.get("Location")).toBe(`${base}/categories/-7`);
    const link = (await buyer.get("/v1/pets?limit=1")).headers.get("Link");
    expect(link).toBe(`<${base}/pets?limit=1&after=1>; rel="next"`);
  });
});
