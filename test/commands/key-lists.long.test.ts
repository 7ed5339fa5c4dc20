import { expect, test } from "bun:test";
import { bearer } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/ports.ts";
import { useService } from "../support/use-service.ts";
import { Workplace } from "./petstore.ts";

const service = useService({ now: Date.now() });
const petstore = new Workplace(service);

const create = (...more: string[]) => petstore.json("keys", "create", "--name", "My app", "--plan", "free", ...more);

test("list filters by state, plan and text, and has pages", async () => {
  const ids: string[] = [];
  for (const name of ["Listed one", "Listed two", "Listed three"]) {
    ids.push((await petstore.json("keys", "create", "--name", name, "--plan", "pro")).id);
  }
  const [first = "", second, third] = ids;
  await petstore.json("keys", "disable", first);
  const listed = async (...options: string[]) =>
    (await petstore.json("keys", "list", ...options)).map((one: { id: string }) => one.id);
  expect(await listed("--search", "listed")).toEqual([first, second, third]);
  expect(await listed("--search", "listed", "--newest", "--limit", "2")).toEqual([third, second]);
  expect(await listed("--search", "listed", "--newest", "--after", String(third))).toEqual([second, first]);
  expect((await petstore.run(["keys", "list", "--search", "listed", "--limit", "2"])).stdout).toEndWith(
    `More follow: add --after ${second}, or a larger --limit.\n`,
  );
  expect((await petstore.run(["keys", "list", "--after", "key_nobody"])).stderr).toContain("no key key_nobody");
  expect(await listed("--search", "listed", "--state", "disabled,revoked")).toEqual([first]);
  expect(await listed("--search", "listed", "--plan", "free")).toEqual([]);
  expect((await petstore.run(["keys", "list", "--search", "nothing-has-this"])).stdout).toBe("No key matches.\n");
  const { code, stderr } = await petstore.run(["keys", "list", "--state", "gone"]);
  expect(code).toBe(2);
  expect(stderr).toContain("It must be one or more of active, banned, disabled, expired, revoked");
});

test("list has every key, oldest first, and no secret", async () => {
  const { id, key } = await create();
  const { stdout } = await petstore.run(["keys", "list"]);
  const lines = stdout.trimEnd().split("\n");
  expect(lines[0]).toMatch(/^ID +NAME +PLAN +STATUS +LAST USED$/);
  expect(lines.at(-1)).toMatch(new RegExp(`^${id} +My app +free +active +never$`));
  expect(stdout).not.toContain("pets_live_");
  const listed = await petstore.json("keys", "list");
  expect(listed.at(-1)).toMatchObject({ id, lastFour: key.slice(-4), state: "active", lastUsedAt: null });
  expect(JSON.stringify(listed)).not.toContain("pets_live_");
});

test("the table has the day on which a key was last used, as the JSON has the time", async () => {
  const { id, key } = await create();
  const { createdAt } = await petstore.json("keys", "show", id);
  await service.advance({ seconds: 3 * 86_400 });
  const { status } = await fetch(`${service.url}/v1/pets`, { headers: bearer(key) });
  expect(status).toBe(200);
  const listed = async () => (await petstore.json("keys", "list")).find((one: { id: string }) => one.id === id);
  await eventually(async () => (await listed()).lastUsedAt !== null);
  const { lastUsedAt } = await listed();
  expect(Date.parse(lastUsedAt)).toBeGreaterThan(Date.parse(createdAt) + 2 * 86_400_000);
  const { stdout } = await petstore.run(["keys", "list"]);
  expect(stdout.split("\n").find((line) => line.startsWith(id))).toMatch(
    new RegExp(` active +${lastUsedAt.slice(0, 10)}$`),
  );
});

test("the table has at most 80 columns, and the JSON the whole names", async () => {
  const name = "A long name, ".repeat(8).slice(0, 98);
  const limits = ["--plan", "enterprise", "--per-minute", "1", "--per-day", "1000"];
  const { id } = await petstore.json("keys", "create", "--name", name, ...limits);
  const lines = (await petstore.run(["keys", "list"])).stdout.split("\n");
  expect(lines.find((line) => line.startsWith(id))).toMatch(/^\w+ {2}A long .*… {2}enterprise {2}active +never$/);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  expect((await petstore.json("keys", "list")).at(-1)).toMatchObject({ id, name });
});

test("a key has the same JSON in the commands as in the administration interface", async () => {
  const { id } = await create();
  const { client: admin } = await service.withOperator();
  const { body } = await admin.get(`/admin/v1/keys/${id}`);
  expect((await petstore.json("keys", "list")).at(-1)).toEqual(body);
  expect(await petstore.json("keys", "set-plan", id, "--plan", "free")).toEqual(body);
  expect(await petstore.json("keys", "show", id)).toEqual({ ...body, secrets: expect.any(Array), deprecatedCalls: {} });
});

test("while Redis does not answer, it says once that requests and bans are unknown, and lists the keys", async () => {
  for (const _ of [1, 2]) await create();
  const env = { REDIS_URL: `redis://127.0.0.1:${await freePort()}` };
  const { code, stdout, stderr } = await petstore.run(["keys", "list", "--json"], { env });
  expect([code, JSON.parse(stdout).length]).toEqual([0, (await petstore.json("keys", "list")).length]);
  const warning = "petstore: the Redis server in REDIS_URL fails, so counted requests and bans are unknown. Reason: ";
  expect(stderr.split("\n")).toEqual([expect.stringContaining(warning), ""]);
});
