import { expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { Workplace } from "./petstore.ts";
import { useKeys } from "./use-keys.ts";

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const DAY = 86_400_000;

const { service, petstore, create, refusalOf } = useKeys();

test("create --json prints exactly the documented fields", async () => {
  states("docs/commands.md", "`--json` prints output for programs.");
  const created = await create();
  expect(Object.keys(created)).toEqual(["id", "key", "name", "plan", "createdAt", "expiresAt"]);
  expect(created).toMatchObject({ name: "My app", plan: "free", expiresAt: null });
  expect(created.createdAt).toMatch(ISO);
});

test("a running service accepts a created key immediately", async () => {
  states("docs/commands.md", "even while the service runs.");
  states("docs/data.md", "The running service applies each change within a second.");
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

test.each([
  ["--expires 90d", ["--expires", "90d"], "expires at"],
  ["no --expires", [], "never expires"],
])("with %s, create says when the key expires", async (_, options, words) => {
  const before = Date.now();
  const { stdout } = await petstore.run(["keys", "create", "--name", "My app", "--plan", "free", ...options]);
  const [, said, time = ""] = /^ {2}The key (never expires|expires at)(?: (\S+ \S+))?\.$/m.exec(stdout) ?? [];
  expect(said).toBe(words);
  if (time !== "") expect(Date.parse(time) - 90 * DAY).toBeWithin(before - 1_000, Date.now() + 1);
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
  states("docs/data.md", "Revoking is for good.");
  const { id, key } = await create();
  expect(await refusalOf(key)).toBeUndefined();
  expect(await petstore.json("keys", "revoke", id)).toMatchObject({ id, state: "revoked" });
  expect(await refusalOf(key)).toBe("revoked_api_key");
});

test("after a rotation the old secret works for the grace period, and the new one immediately", async () => {
  states(
    "docs/data.md",
    "If a key is lost, rotate it. If it leaked, rotate it with `--grace 0s`, or revoke it; `keys end-grace` ends the grace period of an earlier rotation.",
  );
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

test("set-plan applies immediately and keeps the counts", async () => {
  const { id, key } = await create();
  await service.withSecret(key).spend(3);
  expect(await petstore.json("keys", "set-plan", id, "--plan", "pro")).toMatchObject({ id, plan: "pro" });
  const { headers } = await service.withSecret(key).get("/v1/pets");
  expect(headers.get("X-RateLimit-Limit")).toBe("300");
  expect(headers.get("X-RateLimit-Remaining")).toBe("296");
});

test("show reports the usage of both windows, and calls of deprecated operations", async () => {
  states(
    "docs/data.md",
    "`keys show` also prints the limit state, the ban, and how often the key still calls `getPet`",
  );
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
    scopes: ["pets:read", "pets:write", "orders:read", "orders:write", "events:read"],
    secrets: [{ lastFour: key.slice(-4), expiresAt: null }],
    usage: { minute: { used: 3, limit: 60 }, day: { used: 3, limit: 1_000 } },
    deprecatedCalls: { getPet: { calls: 1 } },
  });
  expect(shown.lastUsedAt).toMatch(ISO);

  const time = (iso: string) => iso.replace("T", " ").replace(/\.\d+/, "");
  const { usage, secrets, deprecatedCalls } = shown;
  const { stdout } = await petstore.run(["keys", "show", id]);
  expect(stdout.trimEnd().split("\n")).toEqual(
    Object.entries({
      id,
      name: "My app",
      plan: "free: 60 requests per minute, 1,000 per day",
      scopes: "pets:read, pets:write, orders:read, orders:write, events:read",
      status: "active",
      created: time(shown.createdAt),
      expires: "never",
      "last used": time(shown.lastUsedAt),
      secret: `…${key.slice(-4)}, created ${time(secrets[0].createdAt)}`,
      minute: `3 of 60 requests used, until ${time(usage.minute.resetAt)}`,
      day: `3 of 1,000 requests used, until ${time(usage.day.resetAt)}`,
      deprecated: `getPet called 1 time, last ${time(deprecatedCalls.getPet.lastCalledAt)}`,
    }).map(([name, value]) => `${name.padEnd("deprecated".length)}  ${value}`),
  );
});
