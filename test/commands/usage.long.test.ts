import { expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { useService } from "../support/use-service.ts";
import { Workplace } from "./petstore.ts";

const service = useService({ now: Date.now() });
const petstore = new Workplace(service);

test("usage shows the requests of a key, and of all clients, as text, JSON and CSV", async () => {
  states(
    "docs/commands.md",
    "`petstore usage` | Shows the requests of a key, or of all clients, by status and operation",
  );
  states("docs/data.md", "`usage` shows the requests of all clients, or with the id of a key its own");
  const { id, secret } = await service.createKey();
  const client = service.withSecret(secret);
  await client.spend(3);
  await client.get("/v1/nothing");
  await service.anonymous().get("/v1/pets");
  await eventually(async () => (await petstore.json("usage")).total.requests === 5);

  const its = await petstore.json("usage", id);
  expect(its.total).toEqual({
    requests: 4,
    byClass: { "2xx": 3, "4xx": 1, "429": 0, "5xx": 0 },
    byOperation: { listPets: 3, other: 1 },
    bans: 0,
    simulated: 0,
  });
  expect(its.points).toHaveLength(24);
  const { body } = await (await service.withOperator()).client.get(`/admin/v1/keys/${id}/usage`);
  expect([its.from, its.to, its.resolution]).toEqual([body.from, body.to, body.resolution]);
  const shown = (await petstore.run(["usage", id])).stdout;
  expect(shown).toMatch(/^requests +4\nstatus 2xx +3\n/m);
  expect(shown).toMatch(/\nlistPets +3\nother +1\n$/);

  const { stdout } = await petstore.run(["usage", id, "--resolution", "day", "--csv"]);
  const lines = stdout.trimEnd().split("\n");
  expect(lines[0]).toBe("at,requests,2xx,4xx,429,5xx,bans,simulated,listPets,other");
  expect(lines).toHaveLength(31);
  expect(lines.at(-1)).toMatch(/^\d{4}-\d\d-\d\dT00:00:00.000Z,4,3,1,0,0,0,0,3,1$/);
  const { points } = await petstore.json("usage", id, "--from", "2026-01-01", "--to", "2026-01-01T02:30:00Z");
  expect(points.map(({ at }: { at: string }) => at.slice(11, 13))).toEqual(["00", "01", "02"]);
});

test.each([
  ["minute", "2026-01-01T10:00:00Z", "2026-01-01T10:01:30Z", "2026-01-01T10:02:00Z"],
  ["hour", "2026-01-01T00:00:00Z", "2026-01-01T02:30:00Z", "2026-01-01T03:00:00Z"],
  ["day", "2026-01-01T00:00:00Z", "2026-01-02T12:00:00Z", "2026-01-03T00:00:00Z"],
])("usage by the %s ends with the last one", async (resolution, from, to, end) => {
  const range = ["--resolution", resolution, "--from", from, "--to", to];
  const shown = (time: string) => time.replace("T", " ");
  for (const whose of [[], ["--by", "plan"], ["--top", "1"]]) {
    const { json } = await petstore.run(["usage", ...whose, ...range, "--json"]);
    expect(json).toMatchObject({ resolution, from: from.replace("Z", ".000Z"), to: end.replace("Z", ".000Z") });
    const { stdout } = await petstore.run(["usage", ...whose, ...range]);
    expect(stdout).toMatch(new RegExp(`from +${shown(from)}(\n| )to +${shown(end)}`));
  }
});

test("usage shows the plans and the busiest keys", async () => {
  states(
    "docs/data.md",
    "`usage` shows the requests of all clients, or with the id of a key its own, with `--by plan` those of each plan, with `--top` the busiest keys, from `--from` to `--to`.",
  );
  states("docs/commands.md", "by plan, or of the busiest keys.");
  states("docs/data.md", "with `--by plan` those of each plan, with `--top` the busiest keys");
  const { id, secret } = await service.createKey({ plan: "pro" });
  await service.withSecret(secret).spend(8);
  const top = async () => (await petstore.json("usage", "--top", "1")).keys;
  await eventually(async () => (await top())[0]?.requests === 8);
  expect(await top()).toMatchObject([{ keyId: id, keyName: "test", plan: "pro", owner: null, bans: 0 }]);
  expect((await petstore.run(["usage", "--top", "1"])).stdout).toMatch(
    new RegExp(`^ID +NAME +PLAN +REQUESTS +2XX .*\\n${id} +test +pro +8 +8 +0 +0 +0 +0\nfrom .* to .*\\n$`),
  );
  expect((await petstore.run(["usage", "--top", "2", "--sort", "refusals"])).stdout).toStartWith(
    "No key has refusals from ",
  );
  const csv = (await petstore.run(["usage", "--top", "1", "--csv"])).stdout;
  expect(csv).toBe(`keyId,keyName,plan,owner,requests,2xx,4xx,429,5xx,bans\n${id},test,pro,,8,8,0,0,0,0\n`);

  const { plans } = await petstore.json("usage", "--by", "plan", "--resolution", "day");
  const sums = plans.map(({ plan, requests, points }: { plan: string; requests: number; points: [] }) => [
    plan,
    requests,
    points.length,
  ]);
  expect(sums).toContainEqual(["pro", 8, 30]);
  expect(sums.map(([plan]: [string]) => plan)).toEqual(["free", "pro", "business", "enterprise", "none"]);
  const shown = (await petstore.run(["usage", "--by", "plan"])).stdout;
  expect(shown).toMatch(/^PLAN +REQUESTS +2XX +4XX +429 +5XX +BANS\n(.*\n)?pro +8 +8 +0 +0 +0 +0\n/);
  const lines = (await petstore.run(["usage", "--by", "plan", "--csv"])).stdout.trimEnd().split(/\r?\n/);
  expect(lines).toHaveLength(1 + 5 * 24);
  expect(lines[0]).toBe("at,plan,requests,2xx,4xx,429,5xx,bans");
});

test.each([
  [["key_nobody"], 1, "There is no key key_nobody."],
  [["--from", "yesterday"], 2, "It must be a date or a time"],
  [["--from", "2026-01-02", "--to", "2026-01-01"], 2, "error: --from must not be later than to"],
  [["--from", "2020-01-01"], 2, "error: --from must be so late that there are at most 1500 points"],
  [["key_1", "--top", "3"], 2, "error: use only one of a key, --by and --top"],
  [["--by", "plan", "--top", "3"], 2, "error: use only one of a key, --by and --top"],
  [["--sort", "refusals"], 2, "error: --sort needs --top"],
  [["--top", "0"], 2, "It must be an integer from 1 to 100."],
  [["--by", "owner"], 2, "Allowed choices are plan."],
  [["--csv", "--json"], 2, "error: use either --csv or --json"],
])("usage refuses %j", async (args, code, message) => {
  const result = await petstore.run(["usage", ...args]);
  expect(result.code).toBe(code);
  expect(result.stderr).toContain(message);
});
