import { beforeAll, describe, expect, test } from "bun:test";
import { states } from "../../support/markdown.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service);
beforeAll(async () => {
  await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
});

describe("a method that a path lacks is 405, with the methods that it has:", () => {
  test("is what the documents say", () => {
    states(
      "docs/errors.md",
      "The path exists, but not with this method;",
      "Use a method from the header `Allow`.",
      "A client cannot remove an order;",
    );
  });
  test.each([
    ["PUT", "/v1/pets", "GET, HEAD, POST"],
    ["PATCH", "/v1/pets", "GET, HEAD, POST"],
    ["DELETE", "/v1/pets", "GET, HEAD, POST"],
    ["OPTIONS", "/v1/pets", "GET, HEAD, POST"],
    ["POST", "/v1/pets/1", "GET, HEAD, PATCH, DELETE"],
    ["PUT", "/v1/pets/1", "GET, HEAD, PATCH, DELETE"],
    ["PUT", "/v1/pets/abc", "GET, HEAD, PATCH, DELETE"],
    ["OPTIONS", "/v1/pets/1", "GET, HEAD, PATCH, DELETE"],
    ["PUT", "/v1/categories", "GET, HEAD, POST"],
    ["PATCH", "/v1/categories/1", "GET, HEAD, PUT, DELETE"],
    ["POST", "/v1/categories/abc", "GET, HEAD, PUT, DELETE"],
    ["DELETE", "/v1/store/orders", "GET, HEAD, POST"],
    ["DELETE", "/v1/store/orders/1", "GET, HEAD, PATCH"],
    ["PUT", "/v1/store/orders/1", "GET, HEAD, PATCH"],
    ["POST", "/v1/store/inventory", "GET, HEAD"],
  ])("%s %s", async (method, path, allowed) => {
    const answer = await client.request(path, { method });
    expect(answer).toMatchObject({ status: 405, body: { code: "method_not_allowed" } });
    expect(answer.headers.get("Allow")).toBe(allowed);
  });
});

describe("a path that does not exist is 404 with any method:", () => {
  test("is what the documents say", () => {
    states("docs/errors.md", "The path does not exist,");
  });
  test.each([
    "/v1",
    "/v1/",
    "/v1/pet",
    "/v1/pets/",
    "/v1/pets/1/",
    "/v1/pets/1/toys",
    "/v1/PETS",
    "/v1/pets;x",
    "/v1//pets",
    "/v1/store",
    "/v1/orders",
    "/v1/inventory",
    "/v1/categories/1/pets",
    "/v1/store/orders/",
  ])("%s", async (path) => {
    for (const method of ["GET", "POST", "DELETE", "OPTIONS"]) {
      const answer = await client.request(path, { method });
      expect(answer).toMatchObject({ status: 404, body: { code: "not_found" } });
      expect(answer.headers.has("Allow")).toBe(false);
    }
  });
});

test.each([
  ["/v1/pets/", "/v1/pets"],
  ["/v1/pets/1/", "/v1/pets/{petId}"],
  ["/v1/usage/", "/v1/usage"],
  ["/v1/categories/-1/", "/v1/categories/{categoryId}"],
  ["/v1/store/orders/1/", "/v1/store/orders/{orderId}"],
])("%s is 404, names the path that was meant, and is not deprecated", async (path, meant) => {
  states("docs/errors.md", "or has a slash too many at its end: then the message names the right one.");
  for (const method of ["GET", "POST"]) {
    const answer = await client.request(path, { method });
    const message = `This path does not exist: it ends in a slash. Use ${meant} without it.`;
    expect(answer).toMatchObject({ status: 404, body: { code: "not_found", message } });
    for (const name of ["Deprecation", "Sunset", "Link"]) expect(answer.headers.has(name)).toBe(false);
  }
});

describe("HEAD is answered like GET, without the body:", () => {
  test.each([
    "/v1/pets",
    "/v1/pets?limit=0",
    "/v1/pets/1",
    "/v1/pets/99",
    "/v1/categories",
    "/v1/categories/99",
    "/v1/store/orders",
    "/v1/store/inventory",
    "/v1/nothing",
    "/livez",
    "/readyz",
    "/openapi.json",
  ])("%s", async (path) => {
    const get = await client.get(path);
    const head = await client.request(path, { method: "HEAD" });
    expect(head.status).toBe(get.status);
    expect(head.text).toBe("");
    const names = (headers: Headers) =>
      [...headers.keys()]
        .filter((name) => !/^(date|transfer-encoding|content-length|keep-alive|connection)$/.test(name))
        .sort();
    expect(names(head.headers)).toEqual(names(get.headers));
    expect(head.headers.get("Content-Type")).toBe(get.headers.get("Content-Type"));
  });

  test("it counts as a request", async () => {
    const limited = await service.withKey({ limits: { perMinute: 5, perDay: 50 } });
    const answer = await limited.request("/v1/pets", { method: "HEAD" });
    expect(answer.headers.get("X-RateLimit-Remaining")).toBe("4");
  });
});

test("the body of a request that needs none is ignored", async () => {
  const answer = await client.request("/v1/nothing", { method: "POST", body: "{not json" });
  expect(answer.status).toBe(404);
});
