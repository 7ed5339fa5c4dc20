import { expect, test } from "bun:test";
import { states } from "../../support/markdown.ts";
import { useService } from "../../support/use-service.ts";

const service = useService();

const REX = { name: "Rex", categoryId: 1 };
const lacks = (scope: string) => ({
  status: 403,
  body: {
    code: "insufficient_scope",
    message: `This API key lacks the scope ${scope}. Ask for a key that has it.`,
    status: 403,
  },
});

test("a key with all scopes can use every operation", async () => {
  const client = await service.withKey();
  const { status, body } = await client.post("/v1/pets", REX);
  expect(status).toBe(201);
  expect((await client.get("/v1/pets")).status).toBe(200);
  expect((await client.get(`/v1/pets/${body.id}`)).status).toBe(200);
});

test("a key with pets:read cannot add pets", async () => {
  const client = await service.withKey({ scopes: ["pets:read"] });
  expect((await client.get("/v1/pets")).status).toBe(200);
  expect((await client.get("/v1/pets/1")).status).toBe(200);
  const refused = await client.post("/v1/pets", REX);
  expect(refused).toMatchObject(lacks("pets:write"));
  expect(refused.headers.get("WWW-Authenticate")).toBe(
    'Bearer realm="petstore", error="insufficient_scope", scope="pets:write"',
  );
});

test("a key with pets:write cannot read", async () => {
  const client = await service.withKey({ scopes: ["pets:write"] });
  expect((await client.post("/v1/pets", REX)).status).toBe(201);
  expect(await client.get("/v1/pets")).toMatchObject(lacks("pets:read"));
  expect(await client.get("/v1/pets/1")).toMatchObject(lacks("pets:read"));
  expect((await client.request("/v1/pets", { method: "HEAD" })).status).toBe(403);
});

test("categories and the inventory need the scopes for pets", async () => {
  states("docs/authentication.md", "Scopes | `pets:read` and `pets:write` for pets, categories and the inventory,");
  states("docs/categories.md", "The operations need the scope `pets:read` or `pets:write`.");
  const reader = await service.withKey({ scopes: ["pets:read"] });
  for (const path of ["/v1/categories", "/v1/store/inventory"]) expect((await reader.get(path)).status).toBe(200);
  expect((await reader.get("/v1/categories/1")).status).toBe(404);
  expect(await reader.post("/v1/categories", { name: "Dogs" })).toMatchObject(lacks("pets:write"));
  expect(await reader.put("/v1/categories/1", { name: "Dogs" })).toMatchObject(lacks("pets:write"));
  expect(await reader.delete("/v1/categories/1")).toMatchObject(lacks("pets:write"));
  const writer = await service.withKey({ scopes: ["pets:write"] });
  for (const path of ["/v1/categories", "/v1/categories/1", "/v1/store/inventory"])
    expect(await writer.get(path)).toMatchObject(lacks("pets:read"));
  expect((await writer.put("/v1/categories/1", { name: "Dogs" })).status).toBe(201);
  states("docs/authentication.md", "Scopes | `pets:read` and `pets:write` for pets, categories and the inventory");
  states("docs/categories.md", "The operations need the scope `pets:read` or `pets:write`.");
});

test("orders need scopes of their own: a key from before there were orders is refused, with their names", async () => {
  states("docs/authentication.md", "`orders:read` and `orders:write` for orders,");
  states(
    "docs/errors.md",
    "The key lacks the scope that the operation needs.",
    "Use a key with the scope that the message names.",
  );
  const client = await service.withKey({ scopes: ["pets:read", "pets:write"] });
  const { body } = await client.post("/v1/pets", REX);
  for (const path of ["/v1/store/orders", "/v1/store/orders/1"]) {
    const refused = await client.get(path);
    expect(refused).toMatchObject(lacks("orders:read"));
    expect(refused.headers.get("WWW-Authenticate")).toBe(
      'Bearer realm="petstore", error="insufficient_scope", scope="orders:read"',
    );
  }
  expect(await client.post("/v1/store/orders", { petId: body.id })).toMatchObject(lacks("orders:write"));
  expect(await client.patch("/v1/store/orders/1", { status: "approved" })).toMatchObject(lacks("orders:write"));
  states("docs/authentication.md", "A key from before there were orders or events keeps the scopes that it has.");
  states(
    "docs/orders.md",
    "Orders need the scopes `orders:read` and `orders:write`, which keys from before there were orders do not have; the inventory needs `pets:read`.",
  );
});

test("a key with orders:write alone can order pets that it cannot read", async () => {
  const { body: pet } = await (await service.withKey()).post("/v1/pets", REX);
  const client = await service.withKey({ scopes: ["orders:write"] });
  const { status, body } = await client.post("/v1/store/orders", { petId: pet.id });
  expect(status).toBe(201);
  expect((await client.patch(`/v1/store/orders/${body.id}`, { status: "cancelled" })).status).toBe(200);
  expect(await client.get(`/v1/store/orders/${body.id}`)).toMatchObject(lacks("orders:read"));
  expect(await client.get("/v1/pets")).toMatchObject(lacks("pets:read"));
  expect(await client.get("/v1/store/inventory")).toMatchObject(lacks("pets:read"));
});

test("a request that is refused for its scope counts", async () => {
  const client = await service.withKey({ scopes: ["pets:write"], limits: { perMinute: 5, perDay: 50 } });
  expect((await client.get("/v1/pets")).headers.get("X-RateLimit-Remaining")).toBe("4");
});
