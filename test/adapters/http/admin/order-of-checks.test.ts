import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Client } from "../../../support/client.ts";
import { anonymous, signIn } from "../../../support/operator.ts";
import { type RunningService, startService } from "../../../support/service.ts";

let service: RunningService;
let admin: Client;
let viewer: Client;
let revoked: string;
beforeAll(async () => {
  service = await startService();
  ({ client: admin } = await service.withOperator("admin"));
  ({ client: viewer } = await service.withOperator("viewer"));
  ({ id: revoked } = await service.createKey());
  await admin.request(`/admin/v1/keys/${revoked}/revoke`, { method: "POST" });
});
afterAll(() => service.remove());

const JSON_TYPE = { "Content-Type": "application/json" };
const LARGE = " ".repeat(64 * 1024 + 1);

// Each request passes one more check than the previous one, and fails all later checks.
test("a request with several errors is refused for the first, in the published order", async () => {
  const codeOf = async (client: Client, path: string, init: Parameters<Client["request"]>[1]) => {
    const { status, body } = await client.request(`/admin/v1${path}`, init);
    return [status, body.code];
  };
  const rotate = (id: string) => `/keys/${id}/rotate`;
  const large = { method: "POST", body: LARGE };
  expect([
    await codeOf(anonymous(service), "/nothing", large),
    await codeOf(viewer, "/nothing", large),
    await codeOf(viewer, "/keys", { ...large, method: "PUT" }),
    await codeOf(viewer, rotate("key_nobody"), large),
    await codeOf(admin, rotate("key_nobody"), large),
    await codeOf(admin, rotate("key_nobody"), { method: "POST", body: "{" }),
    await codeOf(admin, rotate("key_nobody"), { method: "POST", body: "{", headers: JSON_TYPE }),
    await codeOf(admin, rotate("key_nobody"), { method: "POST", body: '{"graceSeconds":-1}', headers: JSON_TYPE }),
    await codeOf(admin, rotate("key_nobody"), { method: "POST" }),
    await codeOf(admin, rotate("no id"), { method: "POST" }),
    await codeOf(admin, rotate(revoked), { method: "POST" }),
  ]).toEqual([
    [401, "missing_credentials"],
    [404, "not_found"],
    [405, "method_not_allowed"],
    [403, "insufficient_role"],
    [413, "payload_too_large"],
    [415, "unsupported_media_type"],
    [400, "invalid_json"],
    [400, "validation_failed"],
    [404, "key_not_found"],
    [404, "key_not_found"],
    [409, "invalid_state"],
  ]);
});

test("a page of another site is refused before the route is looked up, and after the session", async () => {
  const { token } = await service.withOperator("viewer");
  const { cookie } = await signIn(service, token);
  const send = (session: string) =>
    anonymous(service).request("/admin/v1/nothing", {
      method: "POST",
      headers: { Cookie: session, "Sec-Fetch-Site": "cross-site" },
    });
  expect((await send(cookie)).body.code).toBe("cross_site_request");
  expect((await send(`${cookie}x`)).body.code).toBe("invalid_credentials");
});
