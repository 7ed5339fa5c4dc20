import { expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/ports.ts";
import { useService } from "../support/use-service.ts";
import { Workplace } from "./petstore.ts";

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const DAY = 86_400_000;

const service = useService({ now: Date.now() });
const petstore = new Workplace(service);

const create = (...more: string[]) => petstore.json("keys", "create", "--name", "My app", "--plan", "free", ...more);

/** The code with which the service, as of now, refuses this secret. */
async function refusalOf(secret: string): Promise<string | undefined> {
  await service.setClock(Date.now());
  return (await service.withSecret(secret).get("/v1/pets")).body.code;
}

test("create --json prints exactly the documented fields", async () => {
  const created = await create();
  expect(Object.keys(created)).toEqual(["id", "key", "name", "plan", "createdAt", "expiresAt"]);
  expect(created).toMatchObject({ name: "My app", plan: "free", expiresAt: null });
  expect(created.createdAt).toMatch(ISO);
});

test("a running service accepts a created key immediately", async () => {
  const { key } = await create();
  expect((await service.withSecret(key).get("/v1/pets")).status).toBe(200);
});

test("without --json, create shows the key once, and a curl line that works", async () => {
  const { stdout } = await petstore.run(["keys", "create", "--name", "My app", "--plan", "free"]);
  const [key = ""] = /pets_live_\w+/.exec(stdout) ?? [];
  expect(stdout).toContain(`curl -H "Authorization: Bearer ${key}" http://petstore.test/v1/pets`);
  expect((await service.withSecret(key).get("/v1/pets")).status).toBe(200);
});

test("a key for staging has the prefix of staging", async () => {
  const staging = new Workplace();
  const env = { PETSTORE_DEPLOYMENT: "staging" };
  const args = ["keys", "create", "--name", "My app", "--plan", "free", "--create", "--json"];
  expect((await staging.run(args, { env })).json.key).toStartWith("pets_stag_");
  staging.remove();
});

test("--expires sets the lifetime of a key", async () => {
  const { createdAt, expiresAt } = await create("--expires", "90d");
  expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(90 * DAY);
});

test("--scopes sets the scopes of a key", async () => {
  const { key } = await create("--scopes", "pets:read");
  const client = service.withSecret(key);
  expect((await client.get("/v1/pets")).status).toBe(200);
  expect((await client.post("/v1/pets", { name: "Rex", categoryId: 1 })).body.code).toBe("insufficient_scope");
});

test("an enterprise key has custom limits", async () => {
  const args = ["--name", "Partner", "--plan", "enterprise", "--per-minute", "7", "--per-day", "11"];
  const { key } = await petstore.json("keys", "create", ...args);
  const { headers } = await service.withSecret(key).get("/v1/pets");
  expect(headers.get("RateLimit-Policy")).toBe('"minute";q=7;w=60, "day";q=11;w=86400');
});

test("a revoked key is refused within a second", async () => {
  const { id, key } = await create();
  expect(await refusalOf(key)).toBeUndefined();
  expect(await petstore.json("keys", "revoke", id)).toMatchObject({ id, state: "revoked" });
  expect(await refusalOf(key)).toBe("revoked_api_key");
});

test("after a rotation the old secret works for the grace period, and the new one immediately", async () => {
  const { id, key } = await create();
  const rotated = await petstore.json("keys", "rotate", id, "--grace", "1h");
  expect(Object.keys(rotated)).toEqual(["id", "key", "name", "plan", "createdAt", "expiresAt"]);
  expect(rotated.id).toBe(id);
  expect(await refusalOf(key)).toBeUndefined();
  expect(await refusalOf(rotated.key)).toBeUndefined();
  await service.setClock(Date.now() + 3_600_000);
  expect((await service.withSecret(key).get("/v1/pets")).body.code).toBe("expired_api_key");
  expect((await service.withSecret(rotated.key).get("/v1/pets")).status).toBe(200);
  await service.setClock(Date.now());
});

test("a rotation prints when the old secret ends", async () => {
  const rotate = async (id: string, ...options: string[]) =>
    (await petstore.run(["keys", "rotate", id, ...options])).stdout;
  const { id } = await create();
  const before = Date.now();
  const [, end = ""] = /^ {2}The old secret works until (.*)\.$/m.exec(await rotate(id, "--grace", "1h")) ?? [];
  expect(Date.parse(end)).toBeWithin(before + 3_599_000, Date.now() + 3_600_000);
  expect(await rotate(id, "--grace", "0s")).toContain("\n  The old secret no longer works.\n");
  const short = await create("--expires", "1h");
  expect(await rotate(short.id)).toContain(
    `The old secret works until ${short.expiresAt.replace("T", " ").replace(/\.\d+/, "")}.`,
  );
});

test("rename, set-scopes, disable, enable and end-grace apply immediately", async () => {
  const { id, key } = await create();
  expect(await petstore.json("keys", "rename", id, "Renamed")).toMatchObject({ id, name: "Renamed" });
  expect(await petstore.json("keys", "set-scopes", id, "pets:write")).toMatchObject({ scopes: ["pets:write"] });
  expect(await refusalOf(key)).toBe("insufficient_scope");
  expect(await petstore.json("keys", "disable", id)).toMatchObject({ state: "disabled" });
  expect(await refusalOf(key)).toBe("disabled_api_key");
  expect(await petstore.json("keys", "enable", id)).toMatchObject({ state: "active", disabledAt: null });
  await petstore.json("keys", "rotate", id);
  expect((await petstore.json("keys", "show", id)).earlierSecrets).toHaveLength(1);
  expect(await petstore.json("keys", "end-grace", id)).toMatchObject({ earlierSecrets: [] });
  expect(await refusalOf(key)).toBe("expired_api_key");
  const { code, stderr } = await petstore.run(["keys", "end-grace", id]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `petstore: Key ${id} has no earlier secret that still works.\n`,
  });
});

test("list filters by state, plan and text, and has at most so many keys", async () => {
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
  expect(await listed("--search", "listed", "--state", "disabled,revoked")).toEqual([first]);
  expect(await listed("--search", "listed", "--plan", "free")).toEqual([]);
  expect((await petstore.run(["keys", "list", "--search", "nothing-has-this"])).stdout).toBe("No key matches.\n");
  const { code, stderr } = await petstore.run(["keys", "list", "--state", "gone"]);
  expect(code).toBe(2);
  expect(stderr).toContain("It must be one or more of active, banned, disabled, expired, revoked");
});

test("set-plan applies immediately and keeps the counts", async () => {
  const { id, key } = await create();
  await service.withSecret(key).spend(3);
  expect(await petstore.json("keys", "set-plan", id, "--plan", "pro")).toMatchObject({ id, plan: "pro" });
  const { headers } = await service.withSecret(key).get("/v1/pets");
  expect(headers.get("X-RateLimit-Limit")).toBe("300");
  expect(headers.get("X-RateLimit-Remaining")).toBe("296");
});

test("list and show report a ban, and unban lifts it", async () => {
  const limits = ["--plan", "enterprise", "--per-minute", "1", "--per-day", "1000"];
  const { id, key } = await petstore.json("keys", "create", "--name", "Greedy", ...limits);
  const client = service.withSecret(key);
  // The command has a clock of its own: the ban has to lie in its past.
  await service.setClock(Date.now() - 10_000);
  await client.spend(2);
  await service.advance({ seconds: 2 });
  expect((await client.spend(100)).body.code).toBe("key_banned");
  await eventually(async () => (await petstore.json("keys", "show", id)).state === "banned");
  expect((await petstore.run(["keys", "list"])).stdout).toMatch(
    new RegExp(`${id} +Greedy +enterprise +banned until \\d\\d:\\d\\dZ +\\d{4}-\\d\\d-\\d\\d\n`),
  );

  expect(await petstore.json("keys", "unban", id)).toMatchObject({
    state: "active",
    usage: { strikes: 0, bannedUntil: null },
  });
  expect((await client.get("/v1/pets")).body.code).toBe("rate_limit_exceeded");
});

test("show reports the usage of both windows, and calls of deprecated operations", async () => {
  await service.setClock(Date.now());
  const { id, key } = await create();
  const client = service.withSecret(key);
  await client.spend(2);
  await client.get("/v1/pets/1");
  await eventually(async () => (await petstore.json("keys", "show", id)).usage.minute.used === 3);
  const shown = await petstore.json("keys", "show", id);
  expect(shown).toMatchObject({
    id,
    name: "My app",
    limits: { perMinute: 60, perDay: 1_000 },
    scopes: ["pets:read", "pets:write", "orders:read", "orders:write"],
    secrets: [{ lastFour: key.slice(-4), expiresAt: null }],
    usage: { minute: { used: 3, limit: 60 }, day: { used: 3, limit: 1_000 } },
    deprecatedCalls: { getPet: { calls: 1 } },
  });
  expect(shown.lastUsedAt).toMatch(ISO);
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

test.each(["show", "rotate", "revoke", "set-plan"])("%s of a key that does not exist fails", async (name) => {
  const plan = name === "set-plan" ? ["--plan", "pro"] : [];
  const { code, stderr } = await petstore.run(["keys", name, "key_nobody", ...plan]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: "petstore: There is no key key_nobody. `petstore keys list` shows all keys.\n",
  });
});

test("a command ends when Redis does not answer, and names the variable to change", async () => {
  const env = { REDIS_URL: `redis://127.0.0.1:${await freePort()}` };
  const { code, stderr } = await petstore.run(["keys", "list"], { env });
  expect(code).toBe(1);
  expect(stderr).toStartWith("petstore: The Redis server in REDIS_URL does not answer. Start it, or change REDIS_URL.");
});
