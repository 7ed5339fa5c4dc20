import { beforeAll, expect, test } from "bun:test";
import type { KeyOptions } from "../../support/service.ts";
import { useService } from "../../support/use-service.ts";

const SUNSET = Date.UTC(2030, 11, 5);

const service = useService({ now: SUNSET });

type Request = { method: string; path: string; type?: string; body?: string; match?: string };

const USED_UP: KeyOptions = { limits: { perMinute: 1, perDay: 10 } };
const READER: KeyOptions = { scopes: ["pets:read"] };
const WRITER: KeyOptions = { scopes: ["pets:write"] };
const TOO_LARGE = "{".repeat(70_000);

/**
 * The published order: authentication, ban and limits, route, sunset, scope, size, media type, JSON, validation,
 * existence, precondition, state.
 * Each request has the error for which it is refused, and as many later errors as can be combined with it.
 */
const requests: [number, string, KeyOptions | undefined, Request][] = [
  [401, "missing_api_key", undefined, { method: "DELETE", path: "/v1/nothing?limit=0", body: TOO_LARGE }],
  [401, "missing_api_key", undefined, { method: "GET", path: "/v1/pets/abc?limit=0" }],
  [429, "rate_limit_exceeded", { ...USED_UP, scopes: [] }, { method: "DELETE", path: "/v1/nothing", body: TOO_LARGE }],
  [429, "rate_limit_exceeded", { ...USED_UP, scopes: [] }, { method: "GET", path: "/v1/pets/abc" }],
  [404, "not_found", { scopes: [] }, { method: "POST", path: "/v1/nothing", type: "text/plain", body: TOO_LARGE }],
  [405, "method_not_allowed", { scopes: [] }, { method: "PUT", path: "/v1/pets", type: "text/plain", body: TOO_LARGE }],
  [405, "method_not_allowed", { scopes: [] }, { method: "PUT", path: "/v1/pets/abc" }],
  [410, "operation_removed", WRITER, { method: "GET", path: "/v1/pets/abc" }],
  [403, "insufficient_scope", WRITER, { method: "GET", path: "/v1/pets?limit=0" }],
  [403, "insufficient_scope", READER, { method: "POST", path: "/v1/pets", type: "text/plain", body: TOO_LARGE }],
  [413, "payload_too_large", WRITER, { method: "POST", path: "/v1/pets", type: "text/plain", body: TOO_LARGE }],
  [415, "unsupported_media_type", WRITER, { method: "POST", path: "/v1/pets", type: "text/plain", body: "{" }],
  [400, "invalid_json", WRITER, { method: "POST", path: "/v1/pets", body: '{"name":1,"name":2}' }],
  [400, "validation_failed", WRITER, { method: "POST", path: "/v1/pets", body: '{"name":1}' }],
  [403, "insufficient_scope", READER, { method: "DELETE", path: "/v1/pets/abc", match: "x" }],
  [413, "payload_too_large", WRITER, { method: "PATCH", path: "/v1/pets/abc", type: "text/plain", body: TOO_LARGE }],
  [415, "unsupported_media_type", WRITER, { method: "PATCH", path: "/v1/pets/abc", type: "text/plain", body: "{" }],
  [400, "validation_failed", WRITER, { method: "PATCH", path: "/v1/pets/abc", body: '{"status":"gone"}', match: "x" }],
  [404, "pet_not_found", WRITER, { method: "PATCH", path: "/v1/pets/99", body: '{"status":"sold"}', match: '"v9"' }],
  [
    412,
    "precondition_failed",
    WRITER,
    { method: "PATCH", path: "/v1/pets/1", body: '{"status":"pending"}', match: '"v9"' },
  ],
  [
    409,
    "invalid_transition",
    WRITER,
    { method: "PATCH", path: "/v1/pets/1", body: '{"status":"pending"}', match: '"v1"' },
  ],
];

/** The pet 1 is sold. */
beforeAll(async () => {
  await (await service.withKey(WRITER)).post("/v1/pets", { name: "Rex", categoryId: 1, status: "sold" });
});

test.each(requests)(
  "%d %s comes before all later errors",
  async (status, code, key, { method, path, type, body, match }) => {
    const client = key === undefined ? service.anonymous() : await service.withKey(key);
    if (key?.limits !== undefined)
      expect((await client.get("/v1/pets")).headers.get("X-RateLimit-Remaining")).toBe("0");
    const answer = await client.request(path, {
      method,
      headers: { "Content-Type": type ?? "application/json", ...(match !== undefined && { "If-Match": match }) },
      ...(body !== undefined && { body }),
    });
    expect(answer).toMatchObject({ status, body: { code } });
  },
);

test("before the sunset the scope is checked before the pet is looked for", async () => {
  await service.setClock(SUNSET - 1);
  const client = await service.withKey(WRITER);
  expect(await client.get("/v1/pets/999")).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
});
