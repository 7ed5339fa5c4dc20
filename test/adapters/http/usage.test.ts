import { expect, test } from "bun:test";
import { operationNames } from "../../../src/adapters/http/operations/index.ts";
import { lastOf, startOf, TOTAL } from "../../../src/domain/usage/counting.ts";
import { describes } from "../../support/descriptions.ts";
import { eventually } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { START, startService } from "../../support/service.ts";
import { useService } from "../../support/use-service.ts";

const noCalls = Object.fromEntries(operationNames.map((name) => [name, 0]));

const HOUR = 3_600_000;

const service = useService({ env: { PETSTORE_ADDRESS_LIMIT: "20" } });

const limits = { perMinute: 5, perDay: 1_000 };
const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString();

test("returns usage, remaining requests and the requests of this hour, up to date", async () => {
  states(
    "docs/usage.md",
    "This page describes `GET /usage`, called getUsage, which returns what your key has used and has left.",
  );
  states(
    "docs/usage.md",
    "The headers agree with the body;",
    "The hours contain every request with your key except rehearsals, including refused ones and those to `/usage`.",
  );
  describes("UsageHour.at", "When the hour begins.");
  describes("Usage.last24Hours", "The current hour and the 23 before it, oldest first, in UTC.");
  describes("UsageWindow.limit", "Requests that the window allows.");
  describes("UsageWindow.used", "Requests counted so far.");
  describes("UsageWindow.remaining", "Requests that remain.");
  describes("UsageWindow.resetAt", "When the window ends");
  describes("RequestsByOperation", "`other` counts requests for no operation.");
  states(
    "docs/usage.md",
    "returns what your key has used and has left.",
    "`minute`, `day` | object | Both windows: `limit`, `used`, `remaining`, and `resetAt`, the end of the window.",
    "`at`, the start of the hour (UTC), `requests`, and the same by status (`byClass`: `2xx`, `429`, other `4xx`, `5xx`) and by operation (`byOperation`: `other` counts requests that no operation answers);",
    "Times are in UTC (RFC 3339).",
  );
  const client = await service.withKey({ plan: "free" });
  await client.get("/v1/pets");
  await client.get("/v1/pets?limit=0");
  await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
  await client.get("/v1/pets/999999");
  await client.get("/v1/nothing");
  const { status, body } = await client.get("/v1/usage");
  expect(status).toBe(200);
  const opened = Math.floor(service.now / 1000);
  expect(body).toMatchObject({
    plan: "free",
    minute: { limit: 60, used: 5, remaining: 55, resetAt: isoOf(opened + 60) },
    day: { limit: 1_000, used: 5, remaining: 995, resetAt: isoOf(opened + 86_400) },
    strikes: 0,
    ban: null,
  });
  expect(body.last24Hours).toHaveLength(24);
  expect(body.last24Hours.at(-1)).toEqual({
    at: new Date(startOf("hour", service.now)).toISOString(),
    requests: 5,
    byClass: { "2xx": 2, "4xx": 3, "429": 0, "5xx": 0 },
    byOperation: { ...noCalls, listPets: 2, createPet: 1, getPet: 1, other: 1 },
    simulated: 0,
  });
});

test("shows closed windows as unused, and counts in no window itself", async () => {
  describes("UsageWindow.resetAt", "null while it is not open.");
  describes("UsageWindow", "The first counted request opens it.");
  states("docs/usage.md", "`resetAt` is `null` while the window is not open: the next request that counts opens it.");
  const client = await service.withKey({ limits });
  for (let i = 0; i < 12; i++) {
    const { body, headers } = await client.get("/v1/usage");
    expect(body.minute).toEqual({ limit: 5, used: 0, remaining: 5, resetAt: null });
    expect(body.day).toEqual({ limit: 1_000, used: 0, remaining: 1_000, resetAt: null });
    expect(body.last24Hours.at(-1).byOperation.getUsage).toBe(i);
    expect(headers.get("X-RateLimit-Remaining")).toBe("5");
  }
  expect((await client.get("/v1/pets")).headers.get("X-RateLimit-Remaining")).toBe("4");
  states("docs/usage.md", "for a window that is not open, they show one that opens now.");
});

test("works when no requests remain and during a ban, with strikes and the ban's end", async () => {
  describes("Usage.strikes", "Too many lead to a ban.");
  describes("Usage.ban", "During a ban requests are refused, although the windows may have some left.");
  describes(
    "getUsage",
    "it counts in none of the plan's windows, works when no requests remain and during a ban, and needs no scope.",
  );
  states("docs/usage.md", "`ban` | object or `null` | During a ban, `until`: its end.");
  const client = await service.withKey({ limits });
  expect((await client.spend(6)).status).toBe(429);
  const exhausted = await client.get("/v1/usage");
  expect(exhausted.status).toBe(200);
  expect(exhausted.headers.has("Retry-After")).toBe(false);
  expect(exhausted.headers.get("X-RateLimit-Remaining")).toBe("0");
  expect(exhausted.body.minute).toMatchObject({ used: 5, remaining: 0 });
  expect(exhausted.body.last24Hours.at(-1).byClass).toEqual({ "2xx": 5, "4xx": 0, "429": 1, "5xx": 0 });

  await service.advance({ seconds: 2 });
  await client.spend(40);
  expect((await client.get("/v1/usage")).body.strikes).toBe(40);
  const refused = await client.spend(60);
  expect(refused.body.code).toBe("key_banned");
  const banned = await client.get("/v1/usage");
  expect(banned.status).toBe(200);
  expect(banned.body).toMatchObject({
    strikes: 0,
    // The windows themselves: a ban changes neither what is used nor what is left of them.
    minute: { used: 5, remaining: 0 },
    day: { used: 5, remaining: limits.perDay - 5 },
    ban: { until: isoOf(Number(refused.headers.get("X-RateLimit-Reset"))) },
  });
  expect(banned.headers.get("X-RateLimit-Reset")).toBe(refused.headers.get("X-RateLimit-Reset"));
  expect(banned.headers.has("Retry-After")).toBe(false);
  states(
    "docs/usage.md",
    "it counts in neither of your plan's windows, is never refused because of them, and works during a ban.",
    "Until then requests are refused, although the windows may have some left.",
  );
});

test("is free 60 times per minute; then it is refused, which touches neither the plan nor makes a strike", async () => {
  states("CHANGELOG.md", "a key reads what it has used and has left, free of charge, even during a ban.");
  states("docs/usage.md", "Each process of the service counts by itself.");
  const client = await service.withKey({ limits });
  for (let i = 0; i < 60; i++) expect((await client.get("/v1/usage")).status).toBe(200);
  await service.advance({ seconds: 3 });
  for (let i = 0; i < 150; i++) {
    const refused = await client.get("/v1/usage");
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limit_exceeded" } });
    expect(refused.headers.get("Retry-After")).toBe("57");
    expect(refused.headers.get("X-RateLimit-Limit")).toBe("60");
    expect(refused.headers.get("X-RateLimit-Remaining")).toBe("0");
    expect(refused.headers.get("X-RateLimit-Reset")).toBe(String(Math.floor(service.now / 1000) + 57));
    expect(refused.headers.get("RateLimit")).toBe('"minute";r=5;t=60, "day";r=1000;t=86400');
  }
  expect((await (await service.withKey({ limits })).get("/v1/usage")).status).toBe(200);
  expect((await client.get("/v1/pets")).headers.get("X-RateLimit-Remaining")).toBe("4");
  await service.advance({ seconds: 57 });
  const { status, body } = await client.get("/v1/usage");
  expect(status).toBe(200);
  expect(body).toMatchObject({ strikes: 0, ban: null, minute: { used: 1 } });
  states(
    "docs/usage.md",
    "Beyond that it is 429 `rate_limit_exceeded`, which is not a strike: `X-RateLimit-*` and `Retry-After` show this limit, `RateLimit` still those of your plan.",
  );
});

test("needs a key, but no scope; unauthenticated clients are limited by address", async () => {
  states("docs/usage.md", "Without a valid key it counts for the client address, as every such request does.");
  expect((await (await service.withKey({ scopes: [] })).get("/v1/usage")).status).toBe(200);
  const anonymous = service.anonymous();
  expect((await anonymous.get("/v1/usage")).body.code).toBe("missing_api_key");
  const answers = [];
  for (let i = 0; i < 20; i++) answers.push((await anonymous.get("/v1/usage")).status);
  expect(answers.at(-1)).toBe(429);
  expect((await (await service.withKey()).get("/v1/usage")).status).toBe(200);
  states("docs/usage.md", "It needs a key, with any scopes.");
});

test("also works with HEAD, for free; other methods count, and are 405", async () => {
  const client = await service.withKey({ limits });
  const head = await client.request("/v1/usage", { method: "HEAD" });
  expect(head).toMatchObject({ status: 200, text: "" });
  expect(head.headers.get("X-RateLimit-Remaining")).toBe("5");
  const post = await client.post("/v1/usage", {});
  expect(post.status).toBe(405);
  expect(post.headers.get("Allow")).toBe("GET, HEAD");
  expect(post.headers.get("X-RateLimit-Remaining")).toBe("4");
});

test("a key sees only its own usage", async () => {
  const [one, other] = [await service.withKey(), await service.withKey()];
  await one.spend(3);
  expect((await other.get("/v1/usage")).body.last24Hours.at(-1).requests).toBe(0);
});

test.concurrent("each hour has its own point for 24 hours, into the next day and over a restart", async () => {
  states("docs/usage.md", "`last24Hours` | array of 24 | The current hour and the 23 before it, oldest first:");
  let now = startOf("day", START) + 22.5 * HOUR;
  const listed = (body: { last24Hours: { byOperation: { listPets: number } }[] }) =>
    body.last24Hours.map(({ byOperation }) => byOperation.listPets);
  await using running = await startService({ now });
  const { secret } = await running.createKey();
  const requests: number[] = [];
  for (const count of [3, 2, 0, 4]) {
    await running.setClock(now);
    if (count > 0) await running.withSecret(secret).spend(count);
    requests.push(count);
    const hours = listed((await running.withSecret(secret).get("/v1/usage")).body);
    expect(hours).toEqual([...new Array<number>(24 - requests.length).fill(0), ...requests]);
    now += HOUR;
  }
  expect(await running.stop()).toBe(0);
  await running.start({ now: now + 20 * HOUR });
  const hours = listed((await running.withSecret(secret).get("/v1/usage")).body);
  expect(hours.slice(0, 4)).toEqual([2, 0, 4, 0]);
});

test.concurrent("a crash forgets nothing that was written down, which everything is within some seconds", async () => {
  await using running = await startService();
  const { id, secret } = await running.createKey();
  await running.withSecret(secret).spend(7);
  const hour = lastOf("hour", 1, START);
  await eventually(async () => (await running.stores.usage.usageOf(id, { hour: hour }))[0]?.counts[0] === 7);
  await running.kill();
  await running.start();
  const { body } = await running.withSecret(secret).get("/v1/usage");
  expect(body.last24Hours.at(-1).requests).toBe(7);
});

test.concurrent("what is older than is kept is dropped by itself, beginning with the start", async () => {
  const old = startOf("minute", START - 30 * 86_400_000) - 60_000;
  const recent = old + 120_000;
  await using running = await startService({ now: old });
  const { id, secret } = await running.createKey();
  await running.withSecret(secret).get("/v1/pets");
  await running.setClock(recent);
  await running.withSecret(secret).get("/v1/pets");
  expect(await running.stop()).toBe(0);
  await running.start({ now: START });
  const { usage } = running.stores;
  const minutes = async () => (await usage.usageOf(id, { minute: [old, recent] })).map(({ at }) => at);
  await eventually(async () => (await minutes()).length === 1);
  expect(await minutes()).toEqual([recent]);
  expect(await usage.usageOf(TOTAL, { hour: [startOf("hour", old)] })).not.toEqual([]);
});
