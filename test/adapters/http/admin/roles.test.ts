import { describe, expect, test } from "bun:test";
import { describes } from "../../../support/descriptions.ts";
import { states } from "../../../support/markdown.ts";
import { useOperator, useService } from "../../../support/use-service.ts";

const service = useService();
const { client: admin } = useOperator(service, "admin");
const { client: viewer } = useOperator(service, "viewer");

type Operation = { security?: unknown[] };
type Document = { paths: Record<string, Record<string, Operation>> };

/** Every operation of the document except those of sessions, which need no role, with the id of something that exists in its path. */
async function operations(): Promise<{ method: string; path: string }[]> {
  const { paths } = (await (await fetch(`${service.adminUrl}/admin/openapi.json`)).json()) as Document;
  const { id } = await service.createKey();
  const { id: petId } = await service.stores.pets.create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
  const { created: category } = await service.stores.categories.create({ name: "Dogs" }, { now: Date.now() });
  const { created: order } = await service.stores.orders.place(BigInt(petId), service.now);
  const client = await service.withKey();
  const requestId = (await client.get("/v1/pets")).headers.get("X-Request-Id");
  const webhook = (await admin.post("/admin/v1/webhooks", { url: "https://shop.example.com" })).body.webhook;
  await service.stores.alerts().change([{ type: "alert.disk_full", subject: "disks/test", message: "Full." }], [], 0);
  const alertId = (await service.stores.alerts().open())[0]?.id;
  const orderId = order.id;
  const ids: Record<string, unknown> = {
    id,
    petId,
    categoryId: category.id,
    orderId,
    requestId,
    webhookId: webhook.id,
    alertId,
  };
  return Object.entries(paths)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })))
    .filter(({ path }) => !path.startsWith("/session") && path !== "/operators/first")
    .map(({ method, path }) => ({
      method,
      path: `/admin/v1${path.replace(/\{(\w+)\}/, (_, name) => String(ids[name]))}`,
    }));
}

describe("a viewer", () => {
  test("reads everything but operators and backups, and changes nothing", async () => {
    states("SECURITY.md", "Viewers cannot change anything.");
    states(
      "docs/administration.md",
      "viewer | Read everything except the operators and the backups.",
      "The call needs an admin.",
    );
    const all = await operations();
    expect(all.length).toBeGreaterThan(15);
    const before = (await admin.get("/admin/v1/audit?limit=200")).body.entries.length;
    for (const { method, path } of all) {
      const answer = await viewer.request(path, { method });
      const mayNot = method !== "GET" || /^\/admin\/v1\/(operators|backups)/.test(path);
      expect({ method, path, status: answer.status }).toEqual({ method, path, status: mayNot ? 403 : 200 });
      if (mayNot) expect(answer.body.code).toBe("insufficient_role");
    }
    expect((await admin.get("/admin/v1/audit?limit=200")).body.entries).toHaveLength(before);
  });

  test("gets 404 and 405 for missing paths and methods, as an admin does", async () => {
    states(
      "docs/administration.md",
      "The path exists, but not with this method.",
      "Use a method from the header `Allow`.",
    );
    for (const client of [viewer, admin]) {
      expect((await client.get("/admin/v1/nothing")).body.code).toBe("not_found");
      const wrong = await client.request("/admin/v1/keys", { method: "DELETE" });
      expect([wrong.status, wrong.headers.get("Allow")]).toEqual([405, "GET, HEAD, POST"]);
      const session = await client.request("/admin/v1/session", { method: "PUT" });
      expect([session.status, session.headers.get("Allow")]).toEqual([405, "GET, HEAD, POST, DELETE"]);
    }
  });
});

describe("an admin", () => {
  test("creates operators, who can do what their role allows, and revokes them", async () => {
    describes("revokeOperator", "Revokes an operator for good: the service refuses its token");
    describes("revokeOperator 200", "The revoked operator.");
    states(
      "docs/administration.md",
      "A token is shown once, when you create its operator: `pets_oper_`, 32 random characters, `_` and a checksum.",
      "There is no operator with this id.",
      "`GET`, `POST /admin/v1/operators`, `POST /admin/v1/operators/{id}/revoke` | operators; a new one with its `token`",
    );
    const { operator, token } = (await admin.post("/admin/v1/operators", { name: "Grace", role: "viewer" })).body;
    expect(token).toMatch(/^pets_oper_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$/);
    const own = { Authorization: `Bearer ${token}` };
    expect((await viewer.get("/admin/v1/session", own)).body.operator).toEqual(operator);
    const listed = await admin.get("/admin/v1/operators");
    expect(listed.body.operators).toContainEqual(operator);
    expect(listed.text).not.toContain(token);
    const revoked = await admin.request(`/admin/v1/operators/${operator.id}/revoke`, { method: "POST" });
    expect(revoked.body).toEqual({ ...operator, revokedAt: new Date(service.now).toISOString() });
    expect((await viewer.get("/admin/v1/session", own)).status).toBe(401);
    const nobody = await admin.request("/admin/v1/operators/op_nobody/revoke", { method: "POST" });
    expect(nobody.body.code).toBe("operator_not_found");
  });

  test.each([
    [{ name: "x" }],
    [{ name: "", role: "admin" }],
    [{ name: "x", role: "root" }],
    [{ name: "x\u0007", role: "admin" }],
  ])("does not create an operator from %j", async (body) => {
    expect((await admin.post("/admin/v1/operators", body)).body.code).toBe("validation_failed");
  });
});

test("HEAD is answered like GET, without a body", async () => {
  for (const path of ["/admin/v1/keys", "/admin/v1/overview", "/admin/v1/pets/export", "/admin/openapi.json"]) {
    const answer = await admin.request(path, { method: "HEAD" });
    expect([answer.status, answer.text]).toEqual([200, ""]);
  }
});
