import { beforeAll, describe, expect, test } from "bun:test";
import { states } from "../../support/markdown.ts";
import { anonymous } from "../../support/operator.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service);
beforeAll(async () => {
  await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
});

describe("what must not be kept is no-store:", () => {
  test.each(["/livez", "/readyz", "/nothing", "/docs/nothing"])("%s", async (path) => {
    states("docs/interface.md", "the probes are `Cache-Control: no-store`.");
    for (const caller of [service.anonymous(), anonymous(service)]) {
      expect((await caller.get(path)).headers.get("Cache-Control")).toBe("no-store");
    }
  });

  test("what is created, and every error under /v1", async () => {
    states("docs/interface.md", "Each other response under `/v1` and each error has `Cache-Control: no-store`.");
    const answers = [
      await client.post("/v1/pets", { name: "Rex", categoryId: 1 }),
      await client.post("/v1/pets", {}),
      await client.post("/v1/pets", "x", { "Content-Type": "text/plain" }),
      await client.get("/v1/pets/99"),
      await client.get("/v1/nothing"),
      await client.request("/v1/pets", { method: "PUT" }),
      await service.anonymous().get("/v1/pets"),
      await client.request("/v1/pets/1", { method: "DELETE" }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 400, 415, 404, 404, 405, 401, 204]);
    expect(answers.map(({ headers }) => headers.get("Cache-Control"))).toEqual(answers.map(() => "no-store"));
  });
});

test("documentation and documents are asked for again, with their ETag", async () => {
  for (const path of ["/docs", "/docs/limits", "/docs/reference", "/docs/reference/listPets", "/openapi.json"]) {
    expect((await service.anonymous().get(path)).headers.get("Cache-Control")).toBe("no-cache");
  }
  expect((await anonymous(service).get("/admin/openapi.json")).headers.get("Cache-Control")).toBe("no-cache");
});

test("no response lets a browser guess its media type", async () => {
  states("docs/interface.md", "Every response has `X-Content-Type-Options: nosniff`.");
  const get = (url: string, headers: Record<string, string> = {}) => fetch(url, { headers, redirect: "manual" });
  const publicPaths = [
    "/",
    "/livez",
    "/readyz",
    "/openapi.json",
    "/nothing",
    "/docs",
    "/docs/icon.svg",
    "/docs/reference",
  ];
  const administrationPaths = [
    "/",
    "/livez",
    "/metrics",
    "/console",
    "/admin/openapi.json",
    "/admin/v1/keys",
    "/nothing",
  ];
  const responses = await Promise.all([
    ...[...publicPaths, "/v1/pets", "/v1/nothing"].map((path) => get(service.url + path)),
    ...administrationPaths.map((path) => get(service.adminUrl + path)),
    get(`${service.url}/nothing`, { Accept: "text/html" }),
    get(`${service.url}/openapi.json`, { "If-None-Match": "*" }),
    fetch(`${service.url}/livez`, { method: "HEAD" }),
    fetch(`${service.url}/livez`, { method: "POST" }),
  ]);
  const answers = [await client.get("/v1/pets"), await client.post("/v1/pets", { name: "Rex", categoryId: 1 })];
  for (const { headers } of [...responses, ...answers]) expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
});
