import { beforeAll, expect, test } from "bun:test";
import { startOf } from "../../../../src/domain/usage/counting.ts";
import { eventually } from "../../../support/eventually.ts";
import { states } from "../../../support/markdown.ts";
import { useOperator, useService } from "../../../support/use-service.ts";

const service = useService();
const { client: admin } = useOperator(service);
let busy: { id: string; secret: string };
let refused: { id: string; secret: string };
beforeAll(async () => {
  busy = await service.createKey({ plan: "pro" });
  refused = await service.createKey({ limits: { perMinute: 2, perDay: 9 } });
  await service.createKey();
  const client = service.withSecret(busy.secret);
  for (let i = 0; i < 6; i++) await client.get("/v1/pets");
  await client.get("/v1/nothing");
  await service.withSecret(refused.secret).spend(5);
  await service.anonymous().get("/v1/pets");
  const changed = await admin.request(`/admin/v1/keys/${busy.id}`, {
    method: "PATCH",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ plan: "business", owner: { name: "Ada" } }),
  });
  expect(changed.status).toBe(200);
  await client.get("/v1/pets");
  // A key that was deleted since.
  const counts = [6, 0, 1, 0, 0];
  const ofGone = (["minute", "hour", "day"] as const).map((resolution) => {
    const at = startOf(resolution, service.now);
    return { resolution, at, who: "key_4kTn0aWq7JbYcX2z", operation: "listPets", counts };
  });
  await service.stores.usage.add({ writer: "test", number: 1, at: service.now, usage: ofGone, latency: [] });
  // Counts are written every two seconds.
  await eventually(async () => (await admin.get("/admin/v1/usage")).body.points.at(-1).requests === 14);
});

const QUIET = { requests: 0, byClass: { "2xx": 0, "4xx": 0, "429": 0, "5xx": 0 }, refusals: 0, bans: 0 };
const byClass = (succeeded: number, client: number, limited: number) => ({
  requests: succeeded + client + limited,
  byClass: { "2xx": succeeded, "4xx": client, "429": limited, "5xx": 0 },
  refusals: limited,
  bans: 0,
});

test.each(["minute", "hour", "day"])(
  "requests count for the plan that their key had then, by %s",
  async (resolution) => {
    states("docs/administration.md", "A request counts for the plan that its key had then");
    const { status, body } = await admin.get(`/admin/v1/usage/plans?resolution=${resolution}`);
    expect(status).toBe(200);
    const { points, ...range } = (await admin.get(`/admin/v1/usage?resolution=${resolution}`)).body;
    expect([body.resolution, body.from, body.to]).toEqual([range.resolution, range.from, range.to]);
    const plans = Object.fromEntries(
      body.plans.map(({ plan, points: _, ...sum }: { plan: string; points: [] }) => [plan, sum]),
    );
    expect(plans).toEqual({
      free: QUIET,
      pro: byClass(6, 1, 0),
      business: byClass(1, 0, 0),
      enterprise: byClass(2, 0, 3),
      none: byClass(0, 1, 0),
    });
    for (const plan of body.plans) {
      const { points: own, plan: _, ...sum } = plan;
      expect(own.map(({ at }: { at: string }) => at)).toEqual(points.map(({ at }: { at: string }) => at));
      expect(own.at(-1)).toEqual({ at: points.at(-1).at, ...sum });
    }
  },
);

test("the busiest keys are listed with their names, owners and present plans, by requests or refusals", async () => {
  states(
    "docs/administration.md",
    "`GET /admin/v1/usage/keys?resolution=&from=&to=&points=&sort=&limit=` | `keys` with the most requests in the range, or with `sort=refusals` the most 429 responses",
  );
  for (const resolution of ["minute", "hour", "day"]) {
    const list = async (query: string) =>
      (await admin.get(`/admin/v1/usage/keys?resolution=${resolution}${query}`)).body.keys;
    const first = { keyId: busy.id, keyName: "test", owner: { name: "Ada", email: null }, plan: "business" };
    const second = { keyId: refused.id, keyName: "test", owner: null, plan: "enterprise" };
    expect(await list("")).toEqual([
      { ...first, ...byClass(7, 1, 0) },
      { ...second, ...byClass(2, 0, 3) },
    ]);
    expect(await list("&sort=refusals")).toEqual([{ ...second, ...byClass(2, 0, 3) }]);
    expect(await list("&limit=1")).toHaveLength(1);
    expect(await list("&to=2026-11-01T00:00:00Z")).toEqual([]);
  }
});

test("the document says which plan of a key is meant, and whose requests have none", async () => {
  const { components, paths } = await (await fetch(`${service.adminUrl}/admin/openapi.json`)).json();
  const [listed] = (await admin.get("/admin/v1/usage/keys?limit=1")).body.keys;
  const { plan } = (await admin.get(`/admin/v1/keys/${busy.id}`)).body;
  const counted = (await admin.get("/admin/v1/usage/plans")).body.plans;
  const of = (name: string) => counted.find((one: { plan: string }) => one.plan === name).requests;
  const { TopKey, PlanUsage } = components.schemas;
  expect(TopKey.properties.plan.description).toBe(`The ${listed.plan === plan ? "present" : "former"} one.`);
  // Seven requests were on the plan that the key had before.
  expect(paths["/usage/plans"].get.description).toContain(
    `A request counts for the plan that its key ${of("pro") === 7 ? "had then" : "has"}`,
  );
  expect(PlanUsage.properties.plan.description).toBe(
    `none is for requests ${of("none") === 1 ? "without" : "with"} a valid key.`,
  );
});

test("the total of a range has its latency", async () => {
  const { p50, p95, p99 } = (await admin.get("/admin/v1/usage?resolution=minute")).body.latency;
  expect(p50).toBeGreaterThan(0);
  expect([p50, p95, p99]).toEqual([p50, p95, p99].toSorted((a, b) => a - b));
  const { latency } = (await admin.get("/admin/v1/usage?to=2026-11-01T00:00:00Z")).body;
  expect(latency).toEqual({ p50: null, p95: null, p99: null });
});

test.each([
  ["plans?resolution=second", "resolution must be one of minute, hour, day"],
  ["plans?from=2026-12-02T10:00:00Z&to=2026-12-01T10:00:00Z", "from must not be later than to"],
  ["keys?resolution=minute&from=2026-11-01T10:00:00Z", "from must be so late that there are at most 1500 points"],
  ["keys?limit=101", "limit must be an integer from 1 to 100"],
  ["keys?limit=0", "limit must be an integer from 1 to 100"],
  ["keys?sort=name", "sort must be one of requests, refusals"],
])("it refuses %s", async (query, problem) => {
  const { status, body } = await admin.get(`/admin/v1/usage/${query}`);
  expect([status, body.code]).toEqual([400, "invalid_parameter"]);
  expect(body.details.map((one: { field: string; problem: string }) => `${one.field} ${one.problem}`)).toEqual([
    problem,
  ]);
});
