import { describe, expect, test } from "bun:test";
import type { IncomingHttpHeaders } from "node:http";
import { besideLoad } from "../../../test/support/eventually.ts";
import { states } from "../../../test/support/markdown.ts";
import { startService } from "../../../test/support/service.ts";
import { useService } from "../../../test/support/use-service.ts";
import { PetstoreClient, type WaitEvent } from "../../src/main.ts";
import { startGateway } from "../support/gateway.ts";
import { clockOf, petstoreOf, recorder } from "../support/petstore.ts";

const service = useService();

/** Whether the service ever refused this key. */
const refusals = (statuses: number[]) => statuses.filter((status) => status === 429).length;

test("10,000 consecutive calls on the Free plan take ten days, and none is refused", async () => {
  states(
    "client/README.md",
    "With `budget: Infinity` it sleeps until the next day.",
    "`onWait` is called when calls begin to wait.",
  );
  const { secret } = await service.createKey({ plan: "free" });
  const { fetch, statuses } = recorder();
  const waits: WaitEvent[] = [];
  const began = service.now;
  const petstore = await petstoreOf(service, {
    apiKey: secret,
    fetch,
    clock: clockOf(service),
    budget: Number.POSITIVE_INFINITY,
    onWait: (event) => waits.push(event),
  });
  for (let call = 0; call < 10_000; call++) await petstore.listPets({ limit: 1 });
  expect(statuses).toHaveLength(10_000);
  expect(refusals(statuses)).toBe(0);
  // As fast as the plan allows: 9 waits for a new day, 16 for a new minute on each of 10 days.
  expect((service.now - began) / 86_400_000).toBeWithin(9, 9.02);
  expect(waits).toHaveLength(9 + 10 * 16);
});

test("of 500 concurrent calls through one client none is refused", async () => {
  states(
    "client/README.md",
    "Each response shows how many requests the key has left, and the client sends no more at a time.",
  );
  const { secret } = await service.createKey({ plan: "free" });
  const { fetch, statuses } = recorder();
  const waiting: number[] = [];
  const onWait = ({ calls }: WaitEvent) => waiting.push(calls);
  const petstore = await petstoreOf(service, { apiKey: secret, fetch, clock: clockOf(service), onWait });
  const began = service.now;
  const pages = await Promise.all(Array.from({ length: 500 }, () => petstore.listPets()));
  // In each minute 60 calls are sent.
  expect(waiting).toEqual([440, 380, 320, 260, 200, 140, 80, 20]);
  expect(pages).toHaveLength(500);
  expect(statuses).toHaveLength(500);
  expect(refusals(statuses)).toBe(0);
  expect((service.now - began) / 60_000).toBeWithin(8, 8.5);
});

test.each([
  ["r and t", (header: string) => header],
  [
    "a and w, as a later draft may call them",
    (header: string) => header.replaceAll(";r=", ";a=").replaceAll(";t=", ";w="),
  ],
])("the parameters of RateLimit are read as %s", async (_, changed) => {
  states("client/README.md", "`rateLimits` has the current limits;");
  states("docs/limits.md", "a later draft may call `r` and `t` of `RateLimit` `a` and `w`. The client reads both.");
  const fetch = async () =>
    new Response("[]", {
      headers: {
        "RateLimit-Policy": '"minute";q=60;w=60, "day";q=1000;w=86400',
        RateLimit: changed('"minute";r=59;t=42, "day";r=7;t=86000'),
      },
    });
  const now = Date.UTC(2026, 11, 2);
  const clock = { now: () => now, random: () => 0, sleep: async () => {} };
  const petstore = new PetstoreClient({ apiKey: "pets_live_x", fetch, clock });
  await petstore.listPets();
  expect(petstore.rateLimits).toEqual({
    minute: { limit: 60, remaining: 59, resetAt: new Date(now + 42_000) },
    day: { limit: 1000, remaining: 7, resetAt: new Date(now + 86_000_000) },
  });
});

test.each([
  ["minute", '"minute";r=0;t=42, "day";r=7;t=86000', "rate_limit_exceeded", 42_000],
  ["day", '"minute";r=59;t=42, "day";r=0;t=86000', "quota_exceeded", 86_000_000],
] as const)(
  "a call that would wait too long for the limit per %s fails at once, and says in how many whole seconds one would not",
  async (_, RateLimit, code, reset) => {
    const begun = Date.UTC(2026, 11, 2);
    let now = begun;
    const headers = { "RateLimit-Policy": '"minute";q=60;w=60, "day";q=1000;w=86400', RateLimit };
    const fetch = async () => new Response("[]", { headers });
    const clock = { now: () => now, random: () => 0, sleep: async () => {} };
    const petstore = new PetstoreClient({ apiKey: "pets_live_x", fetch, clock, budget: 1_000 });
    await petstore.listPets();
    for (const passed of [1, 400, 999]) {
      now = begun + passed;
      const error = await petstore.listPets().catch((reason) => reason);
      expect(error).toMatchObject({ name: "RateLimitError", code, status: 429 });
      const left = now + 1_000 * error.retryAfter - (begun + reset);
      expect(left).toBeWithin(0, 1_000);
    }
  },
);

test("calls are sent in order", async () => {
  states("client/README.md", "When none is left, calls wait for the reset in order and are not refused:");
  const { secret } = await service.createKey({ plan: "free" });
  const { fetch, requests } = recorder();
  const petstore = await petstoreOf(service, { apiKey: secret, fetch, clock: clockOf(service) });
  await Promise.all(Array.from({ length: 150 }, (_, after) => petstore.listPets({ after })));
  expect(requests.map(({ url }) => Number(new URL(url).searchParams.get("after")))).toEqual([...Array(150).keys()]);
});

test("requests of another program with the same key are taken into account", async () => {
  states(
    "client/README.md",
    "Create one client per key and share it, because the client tracks the limits of its key.",
  );
  const { secret } = await service.createKey({ limits: { perMinute: 20, perDay: 1000 } });
  const { fetch, statuses } = recorder();
  const petstore = await petstoreOf(service, { apiKey: secret, fetch, clock: clockOf(service) });
  await petstore.listPets();
  await service.withSecret(secret).spend(15);
  await petstore.listPets();
  expect(petstore.rateLimits.minute?.remaining).toBe(3);
  await Promise.all(Array.from({ length: 30 }, () => petstore.listPets()));
  expect(refusals(statuses)).toBe(0);
});

test("calls wait for Retry-After when another program has used up the limit", async () => {
  states("docs/limits.md", "The client waits by itself,");
  const { secret } = await service.createKey({ limits: { perMinute: 5, perDay: 1000 } });
  const { fetch, statuses } = recorder();
  const petstore = await petstoreOf(service, { apiKey: secret, fetch, clock: clockOf(service) });
  await service.withSecret(secret).spend(5);
  const began = service.now;
  await petstore.listPets();
  expect(statuses).toEqual([429, 200]);
  expect(service.now - began).toBeWithin(60_000, 62_000);
});

test("calls wait for the end of a ban that another program caused", async () => {
  const { secret } = await service.createKey({ limits: { perMinute: 1, perDay: 1000 } });
  const reckless = service.withSecret(secret);
  await reckless.spend(2);
  await service.advance({ seconds: 3 });
  expect((await reckless.spend(101)).body.code).toBe("key_banned");
  const { fetch, statuses } = recorder();
  const petstore = await petstoreOf(service, { apiKey: secret, fetch, clock: clockOf(service) });
  const began = service.now;
  await Promise.all([petstore.listPets(), petstore.listPets()]);
  expect(statuses).toEqual([429, 200, 200]);
  expect((service.now - began) / 1000).toBeWithin(300, 430);
});

test("a larger plan is used from the first response that shows it", async () => {
  const { id, secret } = await service.createKey({ plan: "free" });
  const { fetch, statuses } = recorder();
  const waits: WaitEvent[] = [];
  const petstore = await petstoreOf(service, {
    apiKey: secret,
    fetch,
    clock: clockOf(service),
    onWait: (event) => waits.push(event),
  });
  for (let call = 0; call < 50; call++) await petstore.listPets();
  await service.changeKey((keys) => keys.update(id, { plan: "pro" }, service.now));
  for (let call = 0; call < 200; call++) await petstore.listPets();
  expect(waits).toEqual([]);
  expect(refusals(statuses)).toBe(0);
});

describe("without waitForLimits", () => {
  test("a call is sent at once, and waits for Retry-After only after a refusal", async () => {
    states("client/README.md", "`waitForLimits` | `true` | Whether calls wait when the limits are used up.");
    const { secret } = await service.createKey({ limits: { perMinute: 2, perDay: 1000 } });
    const { fetch, statuses } = recorder();
    const options = { apiKey: secret, fetch, clock: clockOf(service), waitForLimits: false };
    const petstore = await petstoreOf(service, options);
    for (let call = 0; call < 3; call++) await petstore.listPets();
    expect(statuses).toEqual([200, 200, 429, 200]);
    states(
      "client/README.md",
      "With `waitForLimits: false` the client sends requests even if none remain, and waits only after a 429.",
    );
  });
});

test("a clock that cannot sleep rejects the waiting calls with its reason", async () => {
  const { secret } = await service.createKey({ limits: { perMinute: 1, perDay: 1000 } });
  const reason = new Error("insomnia");
  const clock = { ...clockOf(service), sleep: () => Promise.reject(reason) };
  const petstore = await petstoreOf(service, { apiKey: secret, clock });
  await petstore.listPets();
  const both = await Promise.allSettled([petstore.listPets(), petstore.listPets()]);
  expect(both.map((result) => result.status === "rejected" && result.reason)).toEqual([reason, reason]);
});

describe("behind a proxy", () => {
  const isLimit = (name: string) => /^(x-)?ratelimit/.test(name);
  const portOf = () => Number(new URL(service.url).port);

  test("that passes only the X-RateLimit headers, these are used", async () => {
    const plain = (headers: IncomingHttpHeaders) => ({
      ...Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith("ratelimit"))),
      date: new Date(service.now).toUTCString(),
    });
    const gateway = await startGateway(portOf(), () => false, plain);
    const { secret } = await service.createKey({ limits: { perMinute: 7, perDay: 50 } });
    const { fetch, statuses } = recorder();
    const options = { apiKey: secret, baseUrl: gateway.url, fetch, clock: clockOf(service), budget: 1e9 };
    const petstore = await petstoreOf(service, options);
    for (let call = 0; call < 120; call++) await petstore.listPets();
    expect(refusals(statuses)).toBe(0);
    gateway.close();
  });

  test("that passes no limit headers, no call waits", async () => {
    const none = (headers: IncomingHttpHeaders) =>
      Object.fromEntries(Object.entries(headers).filter(([name]) => !isLimit(name)));
    const gateway = await startGateway(portOf(), () => false, none);
    let inFlight = 0;
    let most = 0;
    const petstore = await petstoreOf(service, {
      baseUrl: gateway.url,
      fetch: async (url, init) => {
        most = Math.max(most, ++inFlight);
        return fetch(url, init).finally(() => inFlight--);
      },
    });
    await petstore.listPets();
    expect(petstore.rateLimits).toEqual({});
    await Promise.all(Array.from({ length: 20 }, () => petstore.listPets()));
    expect(most).toBe(20);
    gateway.close();
  });
});

test("a wait in real time ends, and is never too short", async () => {
  const following = await startService();
  // The machine's clock, near the end of a minute.
  let offset = 0;
  const ticking = setInterval(() => following.setClock(Date.now() + offset).catch(() => {}), 20);
  try {
    const { secret } = await following.createKey({ limits: { perMinute: 3, perDay: 1000 } });
    await following.setClock(Date.now());
    await following.withSecret(secret).spend(1);
    offset = 60_000 - besideLoad(2_000);
    await following.setClock(Date.now() + offset);
    const { fetch, statuses } = recorder();
    const petstore = await petstoreOf(following, { apiKey: secret, fetch });
    const began = performance.now();
    for (let call = 0; call < 4; call++) await petstore.listPets();
    expect(statuses).toEqual([200, 200, 200, 200]);
    expect(performance.now() - began).toBeWithin(1_000, besideLoad(10_000));
  } finally {
    clearInterval(ticking);
    await following.remove();
  }
});

test("the limit of the address, on a 503 while keys cannot be looked up, is not taken for the key's", async () => {
  const ofAddress = { "RateLimit-Policy": '"minute";q=300;w=60', RateLimit: '"minute";r=0;t=60' };
  const gateway = await startGateway(Number(new URL(service.url).port), (answer, count) => {
    if (count !== 2) return false;
    answer.writeHead(503, ofAddress).end();
    return true;
  });
  const { secret } = await service.createKey({ plan: "free" });
  const petstore = await petstoreOf(service, { apiKey: secret, baseUrl: gateway.url, maxRetries: 0 });
  await petstore.listPets();
  const known = petstore.rateLimits;
  await expect(petstore.listPets()).rejects.toMatchObject({ status: 503 });
  expect(petstore.rateLimits).toEqual(known);
  await petstore.listPets();
  expect(petstore.rateLimits.minute?.remaining).toBe(58);
  gateway.close();
});

test("a batch that was lost counts as all of its pets, until a later response says what is left", async () => {
  const { secret } = await service.createKey({ plan: "free" });
  let started = 0;
  let startedBeforeAnswer: number | undefined;
  const petstore = await petstoreOf(service, {
    apiKey: secret,
    maxRetries: 0,
    fetch: async (url, init) => {
      if (url.endsWith("/pets/batch")) throw new TypeError("lost");
      started += 1;
      const response = await fetch(url, init);
      startedBeforeAnswer ??= started;
      return response;
    },
  });
  await petstore.listPets();
  const pets = Array.from({ length: 55 }, (_, i) => ({ name: `pet ${i}`, categoryId: 1 }));
  for await (const { pet } of petstore.createPets(pets)) expect(pet).toBeUndefined();
  [started, startedBeforeAnswer] = [0, undefined];
  await Promise.all(Array.from({ length: 20 }, () => petstore.listPets()));
  // Of 60 requests one is used, and 55 may be.
  expect([started, startedBeforeAnswer]).toEqual([20, 4]);
});
