import { describe, expect, test } from "bun:test";
import { SECRET_LIKE } from "../../../../src/domain/keys/secret.ts";
import { Workplace } from "../../../commands/petstore.ts";
import { describes } from "../../../support/descriptions.ts";
import { states } from "../../../support/markdown.ts";
import { signIn } from "../../../support/operator.ts";
import { useOperator, useService } from "../../../support/use-service.ts";

const service = useService({ now: Date.now() });
const { client: admin, operator } = useOperator(service);

type Listed = {
  action: string;
  target: string | null;
  operator: { id?: string; name: string };
  requestId: string | null;
};
const entries = async (query = ""): Promise<(Listed & { id: number; before: unknown; after: unknown; at: string })[]> =>
  (await admin.get(`/admin/v1/audit?${query}`)).body.entries;

test("every change of an operator is logged: author, target, before, after, time and request", async () => {
  states(
    "docs/administration.md",
    "`action`, `target` | What was changed.",
    "`at`, `requestId` | When the change was made, and by which request.",
  );
  describes("AuditEntry", "A change, with its author.");
  describes("AuditEntry.before", "The object before the change; null if it was created.");
  describes("AuditEntry.after", "The object after the change.");
  describes("AuditEntry.target", "The id of the changed object, if it has one.");
  states(
    "docs/administration.md",
    "The audit log has an entry for each change that an operator makes",
    "`before`, `after` | The values before and after the change.",
    "`at`, `requestId` | When the change was made, and by which request.",
  );
  const headers = { "X-Request-Id": "create-1" };
  const { key } = (await admin.post("/admin/v1/keys", { name: "Shop", plan: "free" }, headers)).body;
  const created = { id: key.id, name: "Shop", plan: "free", limits: { perMinute: 60, perDay: 1_000 } };
  expect(await entries(`target=${key.id}`)).toMatchObject([
    {
      at: new Date(service.now).toISOString(),
      operator: { id: operator.id, name: "Ada" },
      action: "key.create",
      target: key.id,
      before: null,
      after: created,
      requestId: "create-1",
    },
  ]);
  const path = `/admin/v1/keys/${key.id}`;
  await admin.request(path, {
    method: "PATCH",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ plan: "pro", expiresAt: "2099-01-01T00:00:00Z" }),
  });
  for (const action of ["unban", "rotate", "revoke"]) await admin.request(`${path}/${action}`, { method: "POST" });
  const listed = await entries(`target=${key.id}`);
  expect(listed.map(({ action }) => action)).toEqual([
    "key.revoke",
    "key.rotate",
    "key.unban",
    "key.update",
    "key.create",
  ]);
  expect(listed[3]).toMatchObject({ before: created, after: { plan: "pro", expiresAt: "2099-01-01T00:00:00.000Z" } });
  expect(listed[0]?.after).toMatchObject({ revokedAt: expect.stringMatching(/^\d{4}-/) });
});

test("requests without a change are not logged: reads, refusals, changes to the current value", async () => {
  const { key } = (await admin.post("/admin/v1/keys", { name: "Same", plan: "free" })).body;
  const [before] = await entries("limit=1");
  const path = `/admin/v1/keys/${key.id}`;
  const headers = { "Content-Type": "application/json" };
  for (const body of ["{}", '{"name":"Same"}', '{"plan":"free"}', '{"plan":"gold"}']) {
    await admin.request(path, { method: "PATCH", headers, body });
  }
  await admin.get(path);
  await admin.post("/admin/v1/keys", { name: "x", plan: "gold" });
  expect((await entries("limit=1"))[0]).toEqual(before);
});

test("sign-ins, sign-outs and changes of operators and pets are logged", async () => {
  const { browser } = await signIn(service, operator.token);
  await browser.request("/admin/v1/session", { method: "DELETE" });
  const { operator: made } = (await admin.post("/admin/v1/operators", { name: "Grace", role: "viewer" })).body;
  await admin.request(`/admin/v1/operators/${made.id}/revoke`, { method: "POST" });
  const pet = (await admin.post("/admin/v1/pets", { name: "Rex", categoryId: 9 })).body;
  expect((await entries("limit=5")).map(({ action, target }) => [action, target])).toEqual([
    ["pet.create", String(pet.id)],
    ["operator.revoke", made.id],
    ["operator.create", made.id],
    ["session.end", operator.id],
    ["session.create", operator.id],
  ]);
});

test("an integer beyond 2^53 is exact", async () => {
  const headers = { "Content-Type": "application/json" };
  const body = '{"name":"Rex","categoryId":9223372036854775807}';
  await admin.request("/admin/v1/pets", { method: "POST", headers, body });
  expect((await admin.get("/admin/v1/audit?limit=1")).text).toContain('"categoryId":9223372036854775807,');
});

test("changes on the command line are logged as such", async () => {
  states("SECURITY.md", "The audit log records what commands do");
  states(
    "docs/administration.md",
    "an entry for each change that an operator makes, through this interface or the command line.",
    "`operator` | Who made the change: an operator, `command line (user)`",
  );
  const petstore = new Workplace(service);
  const { id } = await petstore.json("keys", "create", "--name", "By hand", "--plan", "free");
  await petstore.json("keys", "set-plan", id, "pro");
  await petstore.json("keys", "revoke", id);
  const listed = await entries(`target=${id}`);
  expect(listed.map(({ action }) => action)).toEqual(["key.revoke", "key.update", "key.create"]);
  for (const { operator: by, requestId } of listed) {
    expect(by).toEqual({ name: expect.stringMatching(/^command line \(.+\)$/) });
    expect(requestId).toBeNull();
  }
});

test("no secret is in the audit log, nor in the output of the service", async () => {
  states("docs/administration.md", "`before`, `after` | The values before and after the change. Never a secret.");
  const { secret, key } = (await admin.post("/admin/v1/keys", { name: "Secret", plan: "free" })).body;
  const rotated = (await admin.request(`/admin/v1/keys/${key.id}/rotate`, { method: "POST" })).body.secret;
  const { answer } = await signIn(service, operator.token);
  const cookie = answer.headers.get("Set-Cookie") ?? "";
  const { text } = await admin.get("/admin/v1/audit?limit=200");
  expect(text.match(SECRET_LIKE)).toBeNull();
  for (const one of [secret, rotated, operator.token, cookie.slice(0, 40)]) {
    expect(text).not.toContain(one);
    expect(service.output.join("\n")).not.toContain(one);
  }
});

test("it is paged, newest first", async () => {
  states(
    "docs/administration.md",
    "`GET /admin/v1/audit?limit=&before=&operator=&action=&target=&from=&to=` | the audit log, newest first",
  );
  const whole = await entries("limit=200");
  const read: unknown[] = [];
  for (let before: number | null = Number.MAX_SAFE_INTEGER; before !== null; ) {
    const { body } = await admin.get(`/admin/v1/audit?limit=3&before=${before}`);
    read.push(...body.entries);
    before = body.next;
  }
  expect(read).toEqual(whole);
});

describe("filters", () => {
  const actionsFor = async (query: string) => (await entries(`limit=200&${query}`)).map(({ action }) => action);

  test("select by author, action, target and time", async () => {
    describes(
      "listAuditEntries.operator",
      "Only changes by the operator with this id, or by authors with exactly this name.",
    );
    describes("listAuditEntries.action", "Only changes of these kinds, separated by commas.");
    states(
      "docs/administration.md",
      "`target` | Changes of the key, the operator, the pet, the category or the order with this id.",
      "Filters select entries; an entry must match all that are given:",
      "`action` | Changes of this kind, such as `key.revoke`, or of several, separated by commas.",
    );
    const { client: other, operator: grace } = await service.withOperator("admin", "Grace");
    const { key } = (await other.post("/admin/v1/keys", { name: "Filtered", plan: "free" })).body;
    await service.advance({ seconds: 60 });
    const later = new Date(service.now).toISOString();
    await admin.request(`/admin/v1/keys/${key.id}/rotate`, { method: "POST" });
    expect(await actionsFor(`operator=${grace.id}`)).toEqual(["key.create"]);
    expect(await actionsFor(`operator=Grace&action=key.create`)).toEqual(["key.create"]);
    expect(await actionsFor(`target=${key.id}`)).toEqual(["key.rotate", "key.create"]);
    expect(await actionsFor(`target=${key.id}&action=key.rotate`)).toEqual(["key.rotate"]);
    expect(await actionsFor(`target=${key.id}&action=key.create,key.revoke`)).toEqual(["key.create"]);
    expect(await actionsFor(`operator=${grace.id}&action=key.create,key.rotate`)).toEqual(["key.create"]);
    expect(await actionsFor(`target=${key.id}&from=${later}`)).toEqual(["key.rotate"]);
    expect(await actionsFor(`target=${key.id}&to=${later}`)).toEqual(["key.create"]);
    expect(await actionsFor(`target=${key.id}&operator=${grace.id}&action=key.rotate`)).toEqual([]);
    for (const [path, body, action] of [
      ["operators", { name: "Till", role: "viewer" }, "operator.create"],
      ["pets", { name: "Rex", categoryId: 9 }, "pet.create"],
      ["categories", { name: "Dogs" }, "category.create"],
    ] as const) {
      const created = (await admin.post(`/admin/v1/${path}`, body)).body;
      const found = await actionsFor(`target=${created.operator?.id ?? created.id}`);
      expect(found).toContain(action);
      if (path === "pets") await admin.post("/admin/v1/orders", { petId: created.id });
    }
    const [order] = (await admin.get("/admin/v1/orders")).body.orders;
    expect(await actionsFor(`target=${order.id}`)).toContain("order.place");
  });

  test.each([
    "action=key",
    "action=key.create,key",
    "operator=",
    "operator=%00",
    "target=%0A",
    "from=yesterday",
    "to=2026",
  ])("%s is refused", async (query) => {
    for (const path of ["audit", "audit/export"]) {
      expect((await admin.get(`/admin/v1/${path}?${query}`)).body.code).toBe("invalid_parameter");
    }
  });
});

describe("an export", () => {
  const exported = async (query: string) => {
    const answer = await admin.get(`/admin/v1/audit/export?${query}`);
    expect(answer.status).toBe(200);
    return answer;
  };

  test("as NDJSON has the entries as the interface lists them", async () => {
    states(
      "docs/administration.md",
      "`GET /admin/v1/audit/export?format=&raw=&operator=&action=&target=&from=&to=` | the same entries as a file",
    );
    for (let i = 0; i < 120; i++) await admin.post("/admin/v1/pets", { name: `Pet ${i}`, categoryId: 1 });
    const answer = await exported("action=pet.create");
    expect(answer.headers.get("Content-Type")).toBe("application/x-ndjson");
    expect(answer.headers.get("Content-Disposition")).toBe('attachment; filename="audit.ndjson"');
    const lines = answer.text.trimEnd().split("\n");
    expect(lines.length).toBeGreaterThan(120);
    expect(lines.map((line) => JSON.parse(line))).toEqual(await entries("limit=200&action=pet.create"));
  });

  test("as CSV is safe to open in a spreadsheet, unless it is asked for texts as they are", async () => {
    const { client: formula, operator: author } = await service.withOperator("admin", "=1+1");
    const { key } = (await formula.post("/admin/v1/keys", { name: "Shop", plan: "free" })).body;
    const safe = await exported(`format=csv&target=${key.id}`);
    expect(safe.headers.get("Content-Disposition")).toBe('attachment; filename="audit.csv"');
    const [head, line] = safe.text.split("\n");
    expect(head).toBe("id,at,operatorId,operator,action,target,before,after,requestId");
    expect(line).toContain(`,${author.id},'=1+1,key.create,${key.id},,"{""id"":""${key.id}"",`);
    const raw = await exported(`format=csv&raw=true&target=${key.id}`);
    expect(raw.text).toContain(`,${author.id},=1+1,key.create,${key.id},,"{""id"":""${key.id}"",`);
  });
});
