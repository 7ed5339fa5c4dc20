import { describe, expect, test } from "bun:test";
import { useService } from "../../support/use-service.ts";

const service = useService();

test("/ leads to /docs", async () => {
  const answer = await service.anonymous().get("/");
  expect(answer.status).toBe(302);
  expect(answer.headers.get("Location")).toBe("/docs");
});

test("/docs/reference loads nothing from elsewhere", async () => {
  const page = await service.anonymous().get("/docs/reference");
  expect(page.status).toBe(200);
  expect(page.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
  const sources = [...page.text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, source = ""]) => source);
  const scripts = sources.filter((source) => source.endsWith(".js"));
  expect(scripts.length).toBeGreaterThan(0);
  for (const source of sources) expect(source).toMatch(/^(\/(?!\/)|data:)/);
  for (const script of scripts) {
    const answer = await service.anonymous().get(script);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Content-Type")).toStartWith("text/javascript");
  }
});

describe("no other path exists outside the interface:", () => {
  test.each([
    "/nothing",
    "/v2/pets",
    "/v1x",
    "/V1/pets",
    "/docs/../../package.json",
    "/docs/%2e%2e/package.json",
    "/docs/..%2fpackage.json",
    "/docs/nothing",
    "/docs/limits/nothing",
    "/docs/limits.md",
    "/docs/%",
    "/docs/",
    "/.env",
  ])("%s", async (path) => {
    expect(await service.anonymous().get(path)).toMatchObject({ status: 404, body: { code: "not_found" } });
  });
});

test.each(["/livez", "/readyz"])("%s needs no key", async (path) => {
  const answer = await service.anonymous().get(path);
  expect(answer.status).toBe(200);
  expect(answer.headers.has("X-RateLimit-Limit")).toBe(false);
});

test.each(["/", "/docs", "/docs/limits", "/docs/reference", "/openapi.json", "/livez", "/readyz"])(
  "%s is read-only",
  async (path) => {
    const answer = await service.anonymous().request(path, { method: "POST" });
    expect(answer).toMatchObject({ status: 405, body: { code: "method_not_allowed" } });
    expect(answer.headers.get("Allow")).toBe("GET, HEAD");
  },
);
