import { beforeEach, describe, expect, test } from "bun:test";
import type { Answer } from "../../support/client.ts";
import { states } from "../../support/markdown.ts";
import { useService } from "../../support/use-service.ts";

const DAY = 86_400;

const service = useService();

/** The ends of windows that open now, in Unix seconds. */
let minuteEnd: number;
let dayEnd: number;
beforeEach(() => {
  minuteEnd = Math.floor(service.now / 1000) + 60;
  dayEnd = Math.floor(service.now / 1000) + DAY;
});

function limitOf({ headers }: Answer): (number | null)[] {
  return ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"].map((name) => Number(headers.get(name)));
}

describe("the limits of a plan are those in the documentation:", () => {
  test.each([
    ["free", 60, 1_000],
    ["pro", 300, 10_000],
    ["business", 1_000, 100_000],
  ] as const)("%s", async (plan, perMinute, perDay) => {
    states(
      "docs/limits.md",
      "Each key has two limits, which its plan sets:",
      "The service counts requests in two fixed windows, of 60 seconds and of 24 hours:",
    );
    const answer = await (await service.withKey({ plan })).get("/v1/pets");
    expect(limitOf(answer)).toEqual([perMinute, perMinute - 1, minuteEnd]);
    expect(answer.headers.get("RateLimit-Policy")).toBe(`"minute";q=${perMinute};w=60, "day";q=${perDay};w=86400`);
    expect(answer.headers.get("RateLimit")).toBe(`"minute";r=${perMinute - 1};t=60, "day";r=${perDay - 1};t=86400`);
    expect(answer.headers.has("Retry-After")).toBe(false);
  });

  test("enterprise: the limits of the key", async () => {
    const client = await service.withKey({ plan: "enterprise", limits: { perMinute: 7, perDay: 70 } });
    expect(limitOf(await client.get("/v1/pets"))).toEqual([7, 6, minuteEnd]);
  });
});

describe("the X-RateLimit headers show", () => {
  test("the window with fewer requests remaining", async () => {
    states(
      "docs/limits.md",
      "`X-RateLimit-Remaining` | `59` | Requests left in that window.",
      "`X-RateLimit-Reset` | `1795000060` | When that window ends: a Unix timestamp in seconds.",
    );
    const tightDay = await service.withKey({ limits: { perMinute: 10, perDay: 5 } });
    expect(limitOf(await tightDay.get("/v1/pets"))).toEqual([5, 4, dayEnd]);
    const tightMinute = await service.withKey({ limits: { perMinute: 5, perDay: 10 } });
    expect(limitOf(await tightMinute.get("/v1/pets"))).toEqual([5, 4, minuteEnd]);
  });

  test("on a tie the window that resets later", async () => {
    const client = await service.withKey({ limits: { perMinute: 5, perDay: 5 } });
    expect(limitOf(await client.get("/v1/pets"))).toEqual([5, 4, dayEnd]);
  });

  test("on a 429 the window that refused", async () => {
    states(
      "docs/limits.md",
      "When the minute limit is used up, the response is 429 `rate_limit_exceeded`; when the day limit is, 429 `quota_exceeded`.",
      "On a 429, the window that refused;",
    );
    const minute = await service.withKey({ limits: { perMinute: 2, perDay: 3 } });
    const refused = await minute.spend(3);
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limit_exceeded" } });
    expect(limitOf(refused)).toEqual([2, 0, minuteEnd]);
    expect(refused.headers.get("RateLimit")).toStartWith('"minute";r=0;t=60, "day";r=1;t=');

    const day = await service.withKey({ limits: { perMinute: 3, perDay: 2 } });
    const refusedByDay = await day.spend(3);
    expect(refusedByDay).toMatchObject({ status: 429, body: { code: "quota_exceeded" } });
    expect(limitOf(refusedByDay)).toEqual([2, 0, dayEnd]);
  });

  test("on a 429 of both windows the one that resets later", async () => {
    states("docs/limits.md", "if both did, the one that ends later.");
    const client = await service.withKey({ limits: { perMinute: 2, perDay: 2 } });
    const refused = await client.spend(3);
    expect(refused.body.code).toBe("quota_exceeded");
    expect(limitOf(refused)).toEqual([2, 0, dayEnd]);
  });
});

describe("a window", () => {
  test("opens at the key's first request and ends on a whole second, at most 60 s later", async () => {
    states("docs/limits.md", "Each key has two limits, which its plan sets:");
    const client = await service.withKey({ limits: { perMinute: 5, perDay: 50 } });
    const first = await client.get("/v1/pets");
    expect(limitOf(first)).toEqual([5, 4, minuteEnd]);
    await service.setClock(minuteEnd * 1000 - 1);
    expect(limitOf(await client.get("/v1/pets"))).toEqual([5, 3, minuteEnd]);
    await service.setClock(minuteEnd * 1000);
    expect(limitOf(await client.get("/v1/pets"))).toEqual([5, 4, minuteEnd + 60]);
    states(
      "docs/limits.md",
      "A window opens with the key's first request, not with the clock's minute, and ends on a whole second",
    );
  });

  test("lets one request per second pass on Free, without end", async () => {
    states(
      "docs/limits.md",
      "So requests evenly spaced at your plan's rate, such as one per second on Free, are never refused by the minute window.",
    );
    const client = await service.withKey({ plan: "free" });
    for (let i = 0; i < 130; i++) {
      expect((await client.get("/v1/pets")).status).toBe(200);
      await service.advance({ seconds: 1 });
    }
  });

  test("says how many seconds of it are left, rounded up", async () => {
    const client = await service.withKey({ limits: { perMinute: 5, perDay: 50 } });
    await client.get("/v1/pets");
    await service.setClock(minuteEnd * 1000 - 1_500);
    expect((await client.get("/v1/pets")).headers.get("RateLimit")).toStartWith('"minute";r=3;t=2,');
    await service.setClock(minuteEnd * 1000 - 1);
    expect((await client.get("/v1/pets")).headers.get("RateLimit")).toStartWith('"minute";r=2;t=1,');
  });
});

describe("a client that waits Retry-After", () => {
  test("is never refused again by the same minute", async () => {
    const client = await service.withKey({ limits: { perMinute: 2, perDay: 50 } });
    const refused = await client.spend(3);
    await service.advance({ seconds: Number(refused.headers.get("Retry-After")) });
    expect((await client.get("/v1/pets")).status).toBe(200);
    states("docs/limits.md", "A client that waits that long is not refused again by the same window.");
  });

  test("is never refused again by the same day", async () => {
    states("docs/errors.md", "The key's limit per day is used up.");
    states("docs/upgrading.md", "A client gets 429 all day | Its limit per day is used up.");
    const client = await service.withKey({ limits: { perMinute: 5, perDay: 2 } });
    const refused = await client.spend(3);
    expect(Number(refused.headers.get("Retry-After"))).toBe(Math.ceil(dayEnd - service.now / 1000));
    await service.advance({ seconds: Number(refused.headers.get("Retry-After")) });
    expect((await client.get("/v1/pets")).status).toBe(200);
  });

  test("waits at least a second", async () => {
    const client = await service.withKey({ limits: { perMinute: 1, perDay: 50 } });
    await client.get("/v1/pets");
    await service.setClock(minuteEnd * 1000 - 1);
    expect((await client.get("/v1/pets")).headers.get("Retry-After")).toBe("1");
  });
});

test("the body of a 429 is an error like any other", async () => {
  const client = await service.withKey({ limits: { perMinute: 1, perDay: 50 } });
  const { body } = await client.spend(2);
  expect(Object.keys(body).sort()).toEqual(["code", "message", "status"]);
  expect(body.status).toBe(429);
});

test("a refused request counts in no window", async () => {
  const client = await service.withKey({ limits: { perMinute: 2, perDay: 4 } });
  const refused = await client.spend(10);
  expect(refused.headers.get("RateLimit")).toContain('"day";r=2;');
  await service.setClock(minuteEnd * 1000);
  const next = await client.spend(2);
  expect(next.status).toBe(200);
  expect(next.headers.get("RateLimit")).toContain('"day";r=0;');
});

test("every authenticated request counts once, with any response", async () => {
  states("docs/limits.md", "Each request with a valid key counts once in both windows, with any response;");
  const client = await service.withKey({ limits: { perMinute: 50, perDay: 500 }, scopes: ["pets:read"] });
  const answers = [
    await client.get("/v1/pets"),
    await client.get("/v1/pets?limit=0"),
    await client.post("/v1/pets", {}),
    await client.get("/v1/pets/999"),
    await client.get("/v1/nothing"),
    await client.request("/v1/pets", { method: "DELETE" }),
    await client.request("/v1/pets", { method: "HEAD" }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 403, 404, 404, 405, 200]);
  expect(answers.map(({ headers }) => headers.get("X-RateLimit-Remaining"))).toEqual([
    "49",
    "48",
    "47",
    "46",
    "45",
    "44",
    "43",
  ]);
  expect(answers.at(-1)?.headers.get("RateLimit")).toContain('"day";r=493;');
});

test("concurrent requests are counted one by one", async () => {
  states("SECURITY.md", "Other clients | Exact limits per key");
  const client = await service.withKey({ limits: { perMinute: 20, perDay: 500 } });
  const answers = await Promise.all(Array.from({ length: 50 }, () => client.get("/v1/pets?limit=1")));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(30);
});

test("keys do not share their limits", async () => {
  states("SECURITY.md", "One client cannot use up another's limit.");
  const [one, other] = [await service.withKey({ plan: "free" }), await service.withKey({ plan: "free" })];
  await one.spend(10);
  expect((await other.get("/v1/pets")).headers.get("X-RateLimit-Remaining")).toBe("59");
});

describe("a plan change applies at once and keeps the counts:", () => {
  test("to a larger plan", async () => {
    states("docs/upgrading.md", "a larger plan with `keys set-plan` applies at once.");
    const { id, secret } = await service.createKey({ limits: { perMinute: 2, perDay: 50 } });
    const client = service.withSecret(secret);
    expect((await client.spend(3)).status).toBe(429);
    await service.changeKey((keys) => keys.update(id, { plan: "free" }, service.now));
    expect(limitOf(await client.get("/v1/pets"))).toEqual([60, 57, minuteEnd]);
  });

  test("to a plan smaller than the usage so far", async () => {
    const { id, secret } = await service.createKey({ limits: { perMinute: 100, perDay: 500 } });
    const client = service.withSecret(secret);
    await client.spend(5);
    await service.changeKey((keys) =>
      keys.update(id, { plan: "enterprise", limits: { perMinute: 3, perDay: 500 } }, service.now),
    );
    const refused = await client.get("/v1/pets");
    expect(refused.status).toBe(429);
    expect(limitOf(refused)).toEqual([3, 0, minuteEnd]);
  });
});
