import { expect, test } from "bun:test";
import type { Answer } from "../../support/client.ts";
import { states } from "../../support/markdown.ts";
import { START } from "../../support/service.ts";
import { useService } from "../../support/use-service.ts";

const SUNSET = Date.UTC(2030, 11, 5);
const REX = { name: "Rex", categoryId: 1 };

const service = useService();

function expectLimitHeaders({ headers }: Answer, remaining: number): void {
  const now = service.now / 1000;
  expect(headers.get("X-RateLimit-Limit")).toMatch(/^\d+$/);
  expect(headers.get("X-RateLimit-Remaining")).toBe(String(remaining));
  expect(headers.get("X-RateLimit-Reset")).toMatch(/^\d{10}$/);
  expect(Number(headers.get("X-RateLimit-Reset"))).toBeGreaterThan(now);
  expect(headers.get("RateLimit-Policy")).toMatch(/^"minute";q=\d+;w=60(?:, "day";q=\d+;w=86400)?$/);
  expect(headers.get("RateLimit")).toMatch(/^"minute";r=\d+;t=\d+(?:, "day";r=\d+;t=\d+)?$/);
  expect(headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
  expect(headers.get("Content-Type")).toBe("application/json");
}

const withLimits = (perMinute = 10) => service.withKey({ limits: { perMinute, perDay: 1_000_000 } });

/** A request for each status. */
const requests: [number, () => Promise<Answer>][] = [
  [200, async () => (await withLimits()).get("/v1/pets")],
  [201, async () => (await withLimits()).post("/v1/pets", REX)],
  [400, async () => (await withLimits()).get("/v1/pets?limit=0")],
  [403, async () => (await service.withKey({ scopes: [], limits: { perMinute: 10, perDay: 20 } })).get("/v1/pets")],
  [404, async () => (await withLimits()).get("/v1/nothing")],
  [405, async () => (await withLimits()).request("/v1/pets", { method: "DELETE" })],
  [413, async () => (await withLimits()).post("/v1/pets", "{".repeat(70_000))],
  [415, async () => (await withLimits()).post("/v1/pets", REX, { "Content-Type": "text/plain" })],
];

test.each(requests)("%d has the limit headers of the key", async (status, ask) => {
  states("docs/interface.md", "All bodies are JSON, `application/json`,");
  states("docs/limits.md", "Each response under `/v1` shows the state of your limits:");
  const answer = await ask();
  expect(answer.status).toBe(status);
  expectLimitHeaders(answer, 9);
  expect(answer.headers.has("Retry-After")).toBe(false);
});

test("401 has those of the address", async () => {
  const answer = await service.anonymous().get("/v1/pets");
  expect(answer.status).toBe(401);
  expectLimitHeaders(answer, 999_999);
  expect(answer.headers.get("RateLimit-Policy")).toBe('"minute";q=1000000;w=60');
});

test("410 has the limit headers", async () => {
  await service.setClock(SUNSET);
  const answer = await (await withLimits()).get("/v1/pets/1");
  expect(answer.status).toBe(410);
  expectLimitHeaders(answer, 9);
  await service.setClock(START);
});

test("429 has the limit headers, and Retry-After", async () => {
  const answer = await (await withLimits(1)).spend(2);
  expect(answer.status).toBe(429);
  expectLimitHeaders(answer, 0);
  expect(answer.headers.get("Retry-After")).toBe("60");
});

test("503 has Retry-After and the limit headers of the key if it is known, otherwise of the address", async () => {
  const client = await withLimits();
  await client.get("/v1/pets");
  const unknown = await withLimits();
  await using other = await service.store.connect();
  await other.run("ALTER TABLE pets RENAME TO elsewhere");
  const withoutPets = await client.get("/v1/pets?limit=3");
  await other.run("ALTER TABLE elsewhere RENAME TO pets; ALTER TABLE secrets RENAME TO elsewhere");
  const withoutKeys = await unknown.get("/v1/pets");
  await other.run("ALTER TABLE elsewhere RENAME TO secrets");

  for (const answer of [withoutPets, withoutKeys]) {
    expect(answer).toMatchObject({ status: 503, body: { code: "service_unavailable" } });
    expect(answer.text).not.toMatch(/table|select|sqlite|postgres/i);
    expect(answer.headers.get("Retry-After")).toBe("1");
  }
  expectLimitHeaders(withoutPets, 8);
  expect(withoutKeys.headers.get("X-RateLimit-Limit")).toBe("1000000");
  expect((await client.get("/v1/pets")).status).toBe(200);
});
