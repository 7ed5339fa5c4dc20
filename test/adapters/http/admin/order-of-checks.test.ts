import { afterAll, beforeAll, expect, test } from "bun:test";
import { generateSecret } from "../../../../src/domain/keys/secret.ts";
import type { Client } from "../../../support/client.ts";
import { states } from "../../../support/markdown.ts";
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
  states(
    "docs/administration.md",
    "The request has neither a token nor a session.",
    "The body is larger than 64 KiB",
    "4. route: 404, 405 5. role: 403 6. body: 413, 415, 400 7. existence: 404",
  );
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
  states("docs/administration.md", "3. cross-site request: 403 4. route: 404, 405");
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

test("signing in is checked for the host, the site, the body, the limit, and then the token", async () => {
  states(
    "docs/administration.md",
    "Signing in is checked in another order: host name, cross-site request, body, limit, token.",
  );
  const codeOf = async (body: unknown, headers: Record<string, string> = {}) =>
    (await anonymous(service).post("/admin/v1/session", body, headers)).body.code;
  const wrong = { token: generateSecret("pets_oper_") };
  const site = { "Sec-Fetch-Site": "cross-site" };
  expect(await codeOf("{", { ...site, Host: "evil.example" })).toBe("host_not_allowed");
  expect(await codeOf("{", site)).toBe("cross_site_request");
  for (let i = 0; i < 10; i++) expect(await codeOf(wrong)).toBe("invalid_credentials");
  expect(await codeOf("{")).toBe("invalid_json");
  expect(await codeOf(wrong)).toBe("rate_limit_exceeded");
});
