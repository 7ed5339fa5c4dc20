import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { states } from "../../support/markdown.ts";
import { startService } from "../../support/service.ts";
import { useKey, useService } from "../../support/use-service.ts";

const SHOP = "https://shop.example.com";
const PREFLIGHT = {
  "Access-Control-Request-Method": "POST",
  "Access-Control-Request-Headers": "authorization,content-type",
};

const EXPOSED =
  "Allow, Deprecation, ETag, Idempotency-Replayed, Link, Location, Petstore-Count, Petstore-Position, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id";

const corsHeaders = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith("access-control-"));

describe("without an allow-list", () => {
  const service = useService();

  test("no origin gets CORS headers", async () => {
    states(
      "docs/upgrading.md",
      "A web page is refused by CORS | Its origin is not listed. | Add it to `PETSTORE_CORS_ORIGINS`, without a path.",
    );
    states("SECURITY.md", "Browsers | CORS is off until you list origins");
    states("docs/interface.md", "The list is empty by default.");
    const client = await service.withKey();
    const { headers } = await client.get("/v1/pets", { Origin: SHOP });
    expect(corsHeaders(headers)).toEqual([]);
    expect(headers.get("Vary")).toBe("Authorization");
  });

  test("a preflight is treated like any other OPTIONS request", async () => {
    const answer = await service
      .anonymous()
      .request("/v1/pets", { method: "OPTIONS", headers: { Origin: SHOP, ...PREFLIGHT } });
    expect(answer.status).toBe(401);
    expect(corsHeaders(answer.headers)).toEqual([]);
  });
});

describe("with an allow-list", () => {
  const service = useService({
    env: { PETSTORE_CORS_ORIGINS: `${SHOP}, http://localhost:3000`, PETSTORE_ADDRESS_LIMIT: "20" },
  });
  const { client } = useKey(service);

  test.each([SHOP, "http://localhost:3000"])("%s may read responses and all headers of the service", async (origin) => {
    states(
      "docs/interface.md",
      "A web page may call the service if the operator has listed the page's origin.",
      "For listed origins, each response under `/v1` has `Access-Control-Allow-Origin` and exposes all headers that these pages name.",
    );
    const { headers } = await client.get("/v1/pets", { Origin: origin });
    expect(headers.get("Access-Control-Allow-Origin")).toBe(origin);
    expect(headers.get("Access-Control-Expose-Headers")).toBe(EXPOSED);
    expect(headers.get("Vary")).toBe("Authorization, Origin");
  });

  test("a list that also varies with what the client accepts says both", async () => {
    const { headers } = await client.get("/v1/events", { Origin: SHOP });
    expect(headers.get("Vary")).toBe("Authorization, Accept, Origin");
  });

  test("error responses may be read too", async () => {
    const { headers, status } = await service.anonymous().get("/v1/pets", { Origin: SHOP });
    expect(status).toBe(401);
    expect(headers.get("Access-Control-Allow-Origin")).toBe(SHOP);
  });

  test.each([
    "https://evil.example.com",
    "http://shop.example.com",
    `${SHOP}:8443`,
    `${SHOP}.evil.com`,
    "null",
    `${SHOP}/`,
  ])("%s may not", async (origin) => {
    const { headers } = await client.get("/v1/pets", { Origin: origin });
    expect(corsHeaders(headers)).toEqual([]);
    expect(headers.get("Vary")).toBe("Authorization, Origin");
  });

  test("credentials are never allowed: the page sends the key in the header", async () => {
    states(
      "client/README.md",
      "Anyone who opens the page can read the key in it: use a key with the scope `pets:read` only.",
    );
    states("SECURITY.md", "credentials are never allowed.");
    const { headers } = await client.get("/v1/pets", { Origin: SHOP });
    expect(headers.has("Access-Control-Allow-Credentials")).toBe(false);
    states("docs/interface.md", "The browser's credentials are never allowed: send the key in the header.");
  });

  test("a preflight needs no key, and its response has the usual headers", async () => {
    states("client/README.md", "The service allows no further request headers,");
    states(
      "docs/interface.md",
      "A preflight (`OPTIONS` with `Access-Control-Request-Method`) needs no key, is answered with 204,",
      "It allows `DELETE`, `GET`, `HEAD`, `PATCH`, `POST`, `PUT` and the headers `Authorization`, `Content-Type`, `Idempotency-Key`, `If-Match`, `If-None-Match`, `MCP-Protocol-Version`, `Mcp-Method`, `Mcp-Name`, `Prefer`, `X-Request-Id`, for 2 hours.",
    );
    const answer = await service
      .anonymous()
      .request("/v1/pets", { method: "OPTIONS", headers: { Origin: SHOP, ...PREFLIGHT } });
    expect(answer.status).toBe(204);
    expect(answer.headers.get("Access-Control-Allow-Origin")).toBe(SHOP);
    expect(answer.headers.get("Access-Control-Allow-Methods")).toBe("DELETE, GET, HEAD, PATCH, POST, PUT");
    expect(answer.headers.get("Access-Control-Allow-Headers")).toBe(
      "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Prefer, X-Request-Id",
    );
    expect(answer.headers.get("Access-Control-Max-Age")).toBe("7200");
  });

  test("docs/interface.md names what a preflight allows to every page, and for how long", async () => {
    const text = readFileSync(join(import.meta.dir, "../../../docs/interface.md"), "utf8");
    const [, methods = "", allowed = "", hours] =
      /It allows ([^;]*?) and the headers ([^;]*?), for (\d+) hours\./.exec(text) ?? [];
    const named = (list: string) => [...list.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
    const { headers } = await service
      .anonymous()
      .request("/v1/pets", { method: "OPTIONS", headers: { Origin: SHOP, ...PREFLIGHT } });
    expect(named(methods).join(", ")).toBe(headers.get("Access-Control-Allow-Methods") ?? "");
    expect(named(allowed).join(", ")).toBe(headers.get("Access-Control-Allow-Headers") ?? "");
    expect(String(Number(hours) * 3_600)).toBe(headers.get("Access-Control-Max-Age") ?? "");
  });

  test("a preflight of another origin is refused", async () => {
    states("docs/upgrading.md", "A web page is refused by CORS | Its origin is not listed.");
    states(
      "docs/interface.md",
      "For other origins `OPTIONS` is like any other method: 401 without a key, 405 with one.",
    );
    const headers = { Origin: "https://evil.example.com", ...PREFLIGHT };
    const answer = await service.anonymous().request("/v1/pets", { method: "OPTIONS", headers });
    expect(answer.status).toBe(401);
    expect(corsHeaders(answer.headers)).toEqual([]);
    expect((await client.request("/v1/pets", { method: "OPTIONS", headers })).status).toBe(405);
  });

  test("OPTIONS that is not a preflight is 405", async () => {
    expect((await client.request("/v1/pets", { method: "OPTIONS", headers: { Origin: SHOP } })).status).toBe(405);
  });

  test("preflights from a listed origin count nowhere, also when the limit of the address is used up", async () => {
    states("docs/interface.md", "and counts nowhere.");
    const preflight = (origin: string) =>
      service.anonymous().request("/v1/pets", { method: "OPTIONS", headers: { Origin: origin, ...PREFLIGHT } });
    await service.advance({ seconds: 120 });
    for (let i = 0; i < 30; i++) {
      const answer = await preflight(SHOP);
      expect(answer.status).toBe(204);
      expect(answer.headers.get("X-RateLimit-Remaining")).toBe("20");
    }
    for (let i = 19; i >= 0; i--)
      expect((await preflight("https://evil.example.com")).headers.get("X-RateLimit-Remaining")).toBe(String(i));
    expect((await preflight("https://evil.example.com")).status).toBe(429);
    expect((await preflight(SHOP)).status).toBe(204);
    expect((await client.get("/v1/pets", { Origin: SHOP })).status).toBe(200);
  });
});

test("on staging pages may rehearse", async () => {
  states("client/README.md", "but `Petstore-Simulate` on staging.");
  await using service = await startService({
    env: { PETSTORE_DEPLOYMENT: "staging", PETSTORE_CORS_ORIGINS: SHOP },
  });
  const preflight = await service
    .anonymous()
    .request("/v1/pets", { method: "OPTIONS", headers: { Origin: SHOP, ...PREFLIGHT } });
  expect(preflight.headers.get("Access-Control-Allow-Headers")).toContain("Petstore-Simulate");
  const client = await service.withKey();
  const refused = await client.get("/v1/pets", { Origin: SHOP, "Petstore-Simulate": "key_banned" });
  expect(refused.status).toBe(429);
  expect(refused.headers.get("Access-Control-Allow-Origin")).toBe(SHOP);
  expect(refused.headers.get("Access-Control-Expose-Headers")).toContain("Petstore-Simulated");
  states(
    "docs/rehearsal.md",
    "Pages of the origins that staging lists may send `Petstore-Simulate` and read `Petstore-Simulated`.",
  );
});
