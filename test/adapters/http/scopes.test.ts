import { expect, test } from "bun:test";
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

test("a key with both scopes can use every operation", async () => {
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

test("a request that is refused for its scope counts", async () => {
  const client = await service.withKey({ scopes: ["pets:write"], limits: { perMinute: 5, perDay: 50 } });
  expect((await client.get("/v1/pets")).headers.get("X-RateLimit-Remaining")).toBe("4");
});
