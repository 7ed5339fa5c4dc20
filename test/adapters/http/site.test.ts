import { describe, expect, test } from "bun:test";
import { BASE_URL } from "../../support/client.ts";
import { states } from "../../support/markdown.ts";
import { useService } from "../../support/use-service.ts";

const service = useService();

test.each(["/", "/docs/"])("%s leads to /docs", async (path) => {
  states("docs/interface.md", "`/`, `/docs/` | Redirects to `/docs`");
  states("docs/interface.md", "| Redirects to `/docs`. |");
  const answer = await service.anonymous().get(path);
  expect(answer.status).toBe(302);
  expect(answer.headers.get("Location")).toBe("/docs");
});

test("the pages of the reference may send requests to this service, and nothing elsewhere", async () => {
  const { headers } = await service.anonymous().get("/docs/reference/listPets");
  const policy = headers.get("Content-Security-Policy")?.split("; ");
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("connect-src 'self'");
  expect((await service.anonymous().get("/docs/limits")).headers.get("Content-Security-Policy")).not.toContain(
    "connect",
  );
});

test("the catalogue of the host leads to the interface, its document, its documentation and its probe", async () => {
  states(
    "docs/interface.md",
    "`/.well-known/api-catalog` | Where the document, the documentation and the probe are (RFC 9727). Any web page may read it.",
  );
  const { status, headers, text } = await service.anonymous().get("/.well-known/api-catalog");
  expect(status).toBe(200);
  expect(headers.get("Content-Type")).toBe(
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  );
  expect(headers.get("Link")).toContain('rel="api-catalog"');
  expect(headers.get("Access-Control-Allow-Origin")).toBe("*");
  const { linkset } = JSON.parse(text);
  expect(linkset).toHaveLength(1);
  const [{ anchor, ...relations }] = linkset;
  expect(anchor).toBe(BASE_URL);
  expect(Object.keys(relations)).toEqual(["service-desc", "service-doc", "status"]);
  for (const { href, type } of Object.values<{ href: string; type: string }[]>(relations).flat()) {
    const answer = await service.anonymous().get(new URL(href).pathname);
    expect([href, answer.status]).toEqual([href, 200]);
    expect(answer.headers.get("Content-Type")).toStartWith(type);
  }
  const bodies = ["service-desc", "status"].map(async (relation) => {
    const answer = await service.anonymous().get(new URL(relations[relation][0].href).pathname);
    return JSON.parse(answer.text);
  });
  expect(await Promise.all(bodies)).toMatchObject([{ openapi: "3.1.0" }, { status: "ready" }]);
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
    "/docs/reference/nothing",
    "/docs/reference/listPets/nothing",
    "/docs/limits.markdown",
    "/docs/%",
    "/.env",
  ])("%s", async (path) => {
    expect(await service.anonymous().get(path)).toMatchObject({ status: 404, body: { code: "not_found" } });
  });
});

describe("what does not exist", () => {
  const browser = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

  test.each(["/nothing", "/docs/nothing", "/v2/pets"])("is a page for a browser: %s", async (path) => {
    const answer = await fetch(service.url + path, { headers: browser });
    expect(answer.status).toBe(404);
    expect(answer.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    expect(answer.headers.get("Vary")).toBe("Accept");
    expect(answer.headers.get("Content-Security-Policy")).toStartWith("default-src 'none'; ");
    const text = await answer.text();
    expect(text).toContain("<h1>Page not found</h1>");
    for (const [, link = ""] of text.matchAll(/(?:src|href)="([^"]*)"/g)) {
      expect((await fetch(service.url + link)).status).toBe(200);
    }
  });

  test("is JSON for every other client, and below /v1 for a browser too", async () => {
    for (const [path, Accept] of [
      ["/nothing", "*/*"],
      ["/nothing", "application/json"],
      ["/v1/pets", browser.Accept],
    ] as const) {
      const answer = await fetch(service.url + path, { headers: { Accept } });
      expect(answer.headers.get("Content-Type")).toBe("application/json");
    }
    const { message } = (await service.anonymous().get("/docs/nothing")).body;
    const [, contents = ""] = /contents are at (\/\S+)\.$/.exec(message) ?? [];
    expect((await service.anonymous().get(contents)).headers.get("Content-Type")).toStartWith("text/html");
  });
});

test.each(["/livez", "/readyz"])("%s needs no key", async (path) => {
  states("docs/interface.md", "These paths are outside `/v1`. They need no key and are not counted.");
  const answer = await service.anonymous().get(path);
  expect(answer.status).toBe(200);
  expect(answer.headers.has("X-RateLimit-Limit")).toBe(false);
});

test.each(["/", "/docs", "/docs/", "/docs/limits", "/docs/reference", "/openapi.json", "/livez", "/readyz"])(
  "%s is read-only",
  async (path) => {
    const answer = await service.anonymous().request(path, { method: "POST" });
    expect(answer).toMatchObject({ status: 405, body: { code: "method_not_allowed" } });
    expect(answer.headers.get("Allow")).toBe("GET, HEAD");
  },
);
