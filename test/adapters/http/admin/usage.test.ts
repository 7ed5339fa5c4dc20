import { beforeAll, describe, expect, test } from "bun:test";
import { operationNames } from "../../../../src/adapters/http/operations/index.ts";
import { describes } from "../../../support/descriptions.ts";
import { eventually } from "../../../support/eventually.ts";
import { states } from "../../../support/markdown.ts";
import { useOperator, useService } from "../../../support/use-service.ts";

const noCalls = Object.fromEntries(operationNames.map((name) => [name, 0]));

const service = useService();
const { client: admin } = useOperator(service);
let key: { id: string; secret: string };
beforeAll(async () => {
  key = await service.createKey();
  const client = service.withSecret(key.secret);
  for (let i = 0; i < 5; i++) await client.get("/v1/pets");
  await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
  await client.get("/v1/pets/1", { "User-Agent": "shop/1.0 (\u00e9)" });
  await client.get("/v1/pets/404", { "User-Agent": `${"x".repeat(300)}` });
  await client.get("/v1/pets/1", { "User-Agent": `shop/2.0 ${key.secret}` });
  await service.anonymous().get("/v1/pets");
  // Counts are written every two seconds.
  await eventually(async () => (await admin.get("/admin/v1/usage")).body.points.at(-1).requests === 10);
  await eventually(async () => (await admin.get("/admin/v1/deprecations")).body.operations[0].callers === 1);
});

const HOUR = 3_600_000;
const hour = () => new Date(service.now - (service.now % HOUR)).toISOString();

test("a key's requests are counted by status and by operation", async () => {
  describes("Point.byOperation", "By operation; other is for requests that match none.");
  states(
    "docs/administration.md",
    "`GET /admin/v1/keys/{id}/usage?resolution=&from=&to=&points=` | the key's usage by `minute`, `hour` or `day`",
  );
  const { body } = await admin.get(`/admin/v1/keys/${key.id}/usage`);
  expect(body.resolution).toBe("hour");
  expect(body.points).toHaveLength(24);
  expect(body.points.at(-1)).toEqual({
    at: hour(),
    requests: 9,
    byClass: { "2xx": 8, "4xx": 1, "429": 0, "5xx": 0 },
    byOperation: { ...noCalls, listPets: 5, createPet: 1, getPet: 3 },
    bans: 0,
    simulated: 0,
  });
  expect(body.points.slice(0, -1).every(({ requests }: { requests: number }) => requests === 0)).toBe(true);
  expect((await admin.get("/admin/v1/keys/key_nobody/usage")).body.code).toBe("key_not_found");
});

test("all requests, including unauthenticated ones, are counted by minute, hour and day, in any range", async () => {
  states(
    "docs/administration.md",
    "the total usage of all keys and unauthenticated clients, and its `latency`",
    "A range of usage begins at `from`, or has so many `points`, and ends at `to`, by default now.",
  );
  describes("getUsageOfAll", "Returns the requests of all keys and of unauthenticated clients.");
  describes("getUsageOfAll.from", "By default the response has 60 minutes, 24 hours or 30 days.");
  describes("getUsageOfAll.to", "By default now. The minute, hour or day of this time is included.");
  describes("UsageOfAll.to", "When the last point ends, which may be in the future.");
  describes("UsageOfAll", "point by point, oldest first");
  describes("Point.at", "When the minute, hour or day begins, in UTC.");
  states(
    "docs/administration.md",
    "`GET /admin/v1/usage?resolution=&from=&to=&points=` | the total usage of all keys and unauthenticated clients",
    "A range of usage begins at `from`",
  );
  for (const [resolution, points] of [
    ["minute", 60],
    ["hour", 24],
    ["day", 30],
  ] as const) {
    const { body } = await admin.get(`/admin/v1/usage?resolution=${resolution}`);
    expect(body.points).toHaveLength(points);
    expect(body.points.at(-1)).toMatchObject({ requests: 10, byClass: { "2xx": 8, "4xx": 2 } });
    expect(body.points[0].at).toBe(body.from);
    expect(Date.parse(body.to)).toBeGreaterThan(service.now);
  }
  const { body } = await admin.get(
    "/admin/v1/usage?resolution=hour&from=2026-12-02T08:30:00%2B01:00&to=2026-12-02T10:00:00Z",
  );
  expect(body.points.map(({ at, requests }: { at: string; requests: number }) => [at, requests])).toEqual([
    ["2026-12-02T07:00:00.000Z", 0],
    ["2026-12-02T08:00:00.000Z", 0],
    ["2026-12-02T09:00:00.000Z", 0],
    ["2026-12-02T10:00:00.000Z", 10],
  ]);
});

test.each([
  ["resolution=second", "resolution must be one of minute, hour, day"],
  ["from=yesterday", "from must be a time such as 2026-12-02T10:00:00Z"],
  ["from=2026-12-02T10:00:00Z&to=2026-12-01T10:00:00Z", "from must not be later than to"],
  ["resolution=minute&from=2026-11-01T10:00:00Z", "from must be so late that there are at most 1500 points"],
])("usage is refused for %s", async (query, problem) => {
  const { status, body } = await admin.get(`/admin/v1/usage?${query}`);
  expect([status, body.code]).toEqual([400, "invalid_parameter"]);
  expect(body.details.map((one: { field: string; problem: string }) => `${one.field} ${one.problem}`)).toEqual([
    problem,
  ]);
});

test("the overview has the current requests and those of the last hour, day and month", async () => {
  describes(
    "getOverview",
    "Returns the requests of the current minute and of the last hour, day and month, and the numbers of keys, pets and orders.",
  );
  describes("Overview.hour", "The last 60 minutes.");
  describes("Overview.day", "The last 24 hours.");
  describes("Overview.month", "The last 30 days.");
  describes("Live", "The current minute and the one before it.");
  states(
    "docs/administration.md",
    "`GET /admin/v1/overview` | the state of the service: requests now and over the last hour, day and month; how many keys",
  );
  const { body } = await admin.get("/admin/v1/overview");
  expect(body.now).toBe(new Date(service.now).toISOString());
  for (const range of [body.live, body.hour, body.day, body.month]) {
    expect(range).toMatchObject({ requests: 10, byClass: { "2xx": 8, "4xx": 2 }, refusals: 0, bans: 0 });
    const { p50, p95, p99 } = range.latency;
    expect(p50).toBeGreaterThan(0);
    expect([p50, p95, p99]).toEqual([p50, p95, p99].toSorted((a, b) => a - b));
    // Of three digits: the error of a bucket is larger.
    expect([p50, p95, p99]).toEqual([p50, p95, p99].map((one: number) => Number(one.toPrecision(3))));
  }
  expect([body.live, body.hour, body.day, body.month].map(({ points }) => points.length)).toEqual([2, 60, 24, 30]);
  expect(body.live.total.requests).toBe(10);
  // Since the minute before this one began.
  expect(body.live.seconds).toBe(60 + (service.now % 60_000) / 1_000);
  expect(body.keys).toEqual({ total: 2, active: 2, banned: 0, disabled: 0, expired: 0, revoked: 0, rehearsing: 0 });
});

describe("the report of deprecated operations", () => {
  test("lists callers with count, last call and program: shortened, and never with a secret", async () => {
    describes(
      "listDeprecations",
      "Lists the deprecated operations, with the number of keys that call them, and of their calls.",
    );
    describes("Deprecations.operations.callers", "The number of keys that call it.");
    describes("Deprecations.operations.calls", "The number of their calls.");
    describes("Caller.userAgent", "The User-Agent of the last call, if it had one.");
    states(
      "docs/administration.md",
      "`GET /admin/v1/deprecations` | the deprecated operations, with the number of keys that still call them, and of their calls",
      "`GET /admin/v1/deprecations/callers?limit=&after=&operation=&sort=` | `callers`, the keys that still call deprecated operations: how often, when last, with which program, and who owns the key; and `next`.",
    );
    const { operations } = (await admin.get("/admin/v1/deprecations")).body;
    expect(operations).toEqual([
      {
        operation: "getPet",
        method: "GET",
        path: "/pets/{petId}",
        deprecatedAt: "2026-11-20T00:00:00.000Z",
        removedAt: "2030-12-05T00:00:00.000Z",
        daysLeft: 1_464,
        replacement: "GET /v1/pets?ids={petId}",
        callers: 1,
        calls: 3,
      },
    ]);
    const lastCalledAt = new Date(service.now).toISOString();
    const owner = { name: "Ada", email: null };
    await admin.request(`/admin/v1/keys/${key.id}`, {
      method: "PATCH",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ owner }),
    });
    const caller = { keyId: key.id, keyName: "test", owner, calls: 3, lastCalledAt, userAgent: "shop/2.0 [key]" };
    for (const query of ["", "?operation=getPet&sort=calls&limit=1", "?sort=keyId"]) {
      const { body } = await admin.get(`/admin/v1/deprecations/callers${query}`);
      expect(body).toEqual({ callers: [{ operation: "getPet", ...caller }], next: null });
    }
  });

  test("is exported as CSV, in which no text is a formula", async () => {
    describes(
      "exportCallers",
      "Returns all keys that call deprecated operations as a CSV file. Text that a spreadsheet would run as a formula begins with an apostrophe.",
    );
    states(
      "docs/administration.md",
      "`GET /admin/v1/deprecations/callers/export?operation=` | the same as a CSV file. A text that a spreadsheet would run as a formula begins with an apostrophe",
    );
    const formula = await service.createKey();
    await service.withSecret(formula.secret).get("/v1/pets/1", { "User-Agent": "=1+1" });
    const path = "/admin/v1/deprecations/callers?limit=1&sort=calls";
    await eventually(async () => (await admin.get(path)).body.next !== null);
    const { next } = (await admin.get(path)).body;
    expect((await admin.get(`${path}&after=${next}`)).body.callers).toMatchObject([{ userAgent: "=1+1", calls: 1 }]);
    const { headers, text } = await admin.get("/admin/v1/deprecations/callers/export");
    expect(headers.get("Content-Disposition")).toBe('attachment; filename="callers.csv"');
    const [header, ...lines] = text.trimEnd().split("\n");
    expect(header).toBe("operation,keyId,keyName,calls,lastCalledAt,userAgent,ownerName,ownerEmail");
    const lastCalledAt = new Date(service.now).toISOString();
    expect(lines.toSorted()).toEqual(
      [
        `getPet,${key.id},test,3,${lastCalledAt},shop/2.0 [key],Ada,`,
        `getPet,${formula.id},test,1,${lastCalledAt},'=1+1,,`,
      ].toSorted(),
    );
  });

  test.each([
    ["operation=listPets", "operation must be one of getPet"],
    ["sort=name", "sort must be one of lastCalledAt, calls, keyId"],
    ["after=key_1", "after must be the next of an earlier page"],
  ])("refuses %s", async (query, problem) => {
    const { status, body } = await admin.get(`/admin/v1/deprecations/callers?${query}`);
    const problems = body.details.map((one: { field: string; problem: string }) => `${one.field} ${one.problem}`);
    expect([status, problems]).toEqual([400, [problem]]);
  });
});

test("the state has the version, the deployment, and whether its dependencies respond", async () => {
  states(
    "docs/administration.md",
    "version, runtime, deployment, whether the database and Redis answer, and in `redis.eviction` why Redis may evict counts",
  );
  describes("getState", "Returns the version, the deployment, and whether the database and Redis respond.");
  describes(
    "getSettings",
    "Returns each setting as it holds, without secrets, and where it is from; the size of the database, and the room on its disk.",
  );
  states(
    "docs/console.md",
    "the size of the database and the room on its disk, with SQLite; and each setting as it holds, with where it is from.",
  );
  describes("State.publicUrl", "The base URL of this deployment.");
  describes("State.nodes", "The number of nodes");
  describes("Settings.database.location", "The database without user and password");
  states("docs/console.md", "Passwords and keys are struck out.");
  states(
    "docs/administration.md",
    "`GET /admin/v1/settings` | each of the `settings` as it holds, without secrets, and its `source`; the size of the `database`, and the room on its `disk`",
    "`GET /admin/v1/state` | version, runtime, deployment, whether the database and Redis answer",
  );
  await service.advance({ seconds: 90 });
  const { database, disk, settings } = (await admin.get("/admin/v1/settings")).body;
  const isFile = service.store.engine === "sqlite";
  expect([database.bytes > 0, disk === null, isFile && disk.freeBytes > disk.bytes]).toEqual([true, !isFile, false]);
  expect(database.location).not.toMatch(/\/\/[^/]*@/);
  const url = settings.find(({ name }: { name: string }) => name === "DATABASE_URL");
  expect([url.source, url.value.includes("@") && !url.value.includes("••••@")]).toEqual(["environment", false]);
  const { body } = await admin.get("/admin/v1/state");
  expect(body).toMatchObject({
    version: "1.0.0",
    deployment: "production",
    publicUrl: "http://petstore.test/v1",
    nodes: 1,
    uptimeSeconds: 90,
    database: { engine: service.store.engine, ok: true },
    redis: { configured: false, ok: true, latencyMs: null, eviction: null },
  });
  expect(body.runtime).toMatch(/^(Bun|Node) \d+\.\d+\.\d+$/);
  const { paths } = (await service.anonymous().get("/openapi.json")).body;
  const described = Object.entries<Record<string, { operationId: string; deprecated?: boolean }>>(paths).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, { operationId: id, deprecated = false }]) => {
        return { id, method: method.toUpperCase(), path, isDeprecated: deprecated };
      }),
  );
  const byId = <One extends { id: string }>(all: One[]) => all.toSorted((a, b) => a.id.localeCompare(b.id));
  expect(byId(body.operations)).toEqual(byId(described));
});
