import { beforeAll, expect, test } from "bun:test";
import { LAST } from "../../support/client.ts";
import { states } from "../../support/markdown.ts";
import type { KeyOptions } from "../../support/service.ts";
import { useService } from "../../support/use-service.ts";

const SUNSET = Date.UTC(2030, 11, 5);

const service = useService({ now: SUNSET });

type Request = {
  method: string;
  path: string;
  type?: string;
  body?: string;
  match?: string;
  once?: string;
  headers?: Record<string, string>;
};
type Case = [status: number, code: string, key: KeyOptions | undefined, request: Request];

const USED_UP: KeyOptions = { limits: { perMinute: 1, perDay: 10 } };
const READER: KeyOptions = { scopes: ["pets:read"] };
const WRITER: KeyOptions = { scopes: ["pets:write"] };
const ORDERER: KeyOptions = { scopes: ["orders:write"] };
const BUYER: KeyOptions = { scopes: ["orders:read"] };
const TOO_LARGE = "{".repeat(70_000);

/**
 * The published order: authentication, ban and limits, route, sunset, scope, size, media type, JSON, validation,
 * existence, precondition, state, idempotency.
 * Each request has the error for which it is refused, and as many later errors as can be combined with it.
 */
const requests: Case[] = [
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
  [412, "precondition_failed", WRITER, { method: "DELETE", path: "/v1/pets/2", match: '"v1"' }],
  [409, "pet_reserved", WRITER, { method: "DELETE", path: "/v1/pets/2", match: '"v2"' }],
  [409, "pet_reserved", WRITER, { method: "PATCH", path: "/v1/pets/2", body: '{"status":"available"}', match: '"v2"' }],

  [405, "method_not_allowed", { scopes: [] }, { method: "PATCH", path: "/v1/categories/x", body: TOO_LARGE }],
  [403, "insufficient_scope", READER, { method: "PUT", path: "/v1/categories/x", type: "text/plain", body: TOO_LARGE }],
  [413, "payload_too_large", WRITER, { method: "PUT", path: "/v1/categories/x", type: "text/plain", body: TOO_LARGE }],
  [415, "unsupported_media_type", WRITER, { method: "PUT", path: "/v1/categories/x", type: "text/plain", body: "{" }],
  [400, "invalid_json", WRITER, { method: "PUT", path: "/v1/categories/x", body: "{", match: "x" }],
  [400, "validation_failed", WRITER, { method: "PUT", path: "/v1/categories/x", body: "{}", match: "x" }],
  [404, "category_not_found", WRITER, { method: "PUT", path: "/v1/categories/x", body: '{"name":"Dogs"}', match: "x" }],
  [
    412,
    "precondition_failed",
    WRITER,
    { method: "PUT", path: "/v1/categories/9", body: '{"name":"Dogs"}', match: "x" },
  ],
  [409, "category_exists", WRITER, { method: "PUT", path: "/v1/categories/9", body: '{"name":"Dogs"}' }],
  [404, "category_not_found", WRITER, { method: "DELETE", path: "/v1/categories/9", match: "x" }],
  [412, "precondition_failed", WRITER, { method: "DELETE", path: "/v1/categories/1", match: "x" }],
  [409, "category_in_use", WRITER, { method: "DELETE", path: "/v1/categories/1", match: "*" }],
  [400, "invalid_parameter", WRITER, { method: "POST", path: "/v1/categories", body: '{"name":"Dogs"}', once: "" }],
  [409, "category_exists", WRITER, { method: "POST", path: "/v1/categories", body: '{"name":"Dogs"}', once: "new" }],

  [403, "insufficient_scope", BUYER, { method: "POST", path: "/v1/store/orders", type: "text/plain", body: TOO_LARGE }],
  [403, "insufficient_scope", ORDERER, { method: "GET", path: "/v1/store/orders?limit=0" }],
  [
    413,
    "payload_too_large",
    ORDERER,
    { method: "POST", path: "/v1/store/orders", type: "text/plain", body: TOO_LARGE },
  ],
  [415, "unsupported_media_type", ORDERER, { method: "POST", path: "/v1/store/orders", type: "text/plain", body: "{" }],
  [400, "validation_failed", ORDERER, { method: "POST", path: "/v1/store/orders", body: "{}", once: "" }],
  [400, "invalid_parameter", ORDERER, { method: "POST", path: "/v1/store/orders", body: '{"petId":99}', once: "" }],
  [404, "pet_not_found", ORDERER, { method: "POST", path: "/v1/store/orders", body: '{"petId":99}', once: "new" }],
  [409, "pet_not_available", ORDERER, { method: "POST", path: "/v1/store/orders", body: '{"petId":1}', once: "new" }],
  [403, "insufficient_scope", BUYER, { method: "PATCH", path: "/v1/store/orders/x", body: TOO_LARGE, match: "x" }],
  [
    415,
    "unsupported_media_type",
    ORDERER,
    { method: "PATCH", path: "/v1/store/orders/x", type: "text/plain", body: "{" },
  ],
  [400, "validation_failed", ORDERER, { method: "PATCH", path: "/v1/store/orders/x", body: "{}", match: "x" }],
  [
    404,
    "order_not_found",
    ORDERER,
    { method: "PATCH", path: "/v1/store/orders/x", body: '{"status":"placed"}', match: "x" },
  ],
  [
    404,
    "order_not_found",
    ORDERER,
    { method: "PATCH", path: "/v1/store/orders/9", body: '{"status":"placed"}', match: "x" },
  ],
  [
    412,
    "precondition_failed",
    ORDERER,
    { method: "PATCH", path: "/v1/store/orders/1", body: '{"status":"placed"}', match: "x" },
  ],
  [
    409,
    "invalid_transition",
    ORDERER,
    { method: "PATCH", path: "/v1/store/orders/1", body: '{"status":"placed"}', match: '"v1"' },
  ],
];

const lastReads = requests
  .filter(([, , , { method }]) => method === "GET")
  .map(([status, code, key, request]): Case => [status, code, key, { ...request, headers: LAST }]);

/** The pet 1 is sold, the order 1 holds the pet 2, and both pets have the category 1. */
beforeAll(async () => {
  const client = await service.withKey();
  await client.put("/v1/categories/1", { name: "Dogs" });
  await client.post("/v1/pets", { name: "Rex", categoryId: 1, status: "sold" });
  await client.post("/v1/pets", { name: "Mia", categoryId: 1 });
  await client.post("/v1/store/orders", { petId: 2 });
});

test.concurrent.each([...requests, ...lastReads])(
  "%d %s comes before all later errors",
  async (status, code, key, { method, path, type, body, match, once, headers }) => {
    states("docs/interface.md", "`PATCH`, `PUT` and `DELETE` take an `ETag` in `If-Match`");
    states(
      "docs/interface.md",
      "If several things are wrong with a request, the first of these checks decides: 1. authentication: 401 2. ban and limits: 429;",
    );
    states(
      "docs/errors.md",
      "If several things are wrong with a request, the order of checks decides which one you see.",
    );
    const client = key === undefined ? service.anonymous() : await service.withKey(key);
    if (key?.limits !== undefined)
      expect((await client.get("/v1/pets")).headers.get("X-RateLimit-Remaining")).toBe("0");
    const answer = await client.request(path, {
      method,
      headers: {
        ...headers,
        "Content-Type": type ?? "application/json",
        ...(match !== undefined && { "If-Match": match }),
        ...(once !== undefined && { "Idempotency-Key": once }),
      },
      ...(body !== undefined && { body }),
    });
    expect(answer).toMatchObject({ status, body: { code } });
    states(
      "docs/interface.md",
      "1. authentication: 401 2. ban and limits: 429; of a batch, 6 to 8 come before its pets are counted - `Petstore-Simulate`: 400 on production, and on staging if it is invalid; otherwise what it simulates 3. route: 404 `not_found`, 405 4. sunset: 410 5. scope: 403 6. size of the body: 413 7. media type: 415 8. JSON, validation and parameters: 400 9. existence of what the path or the order names: 404 `pet_not_found`, `category_not_found`, `order_not_found` 10. preconditions, `If-Match`, then `If-None-Match`: 412 11. current state: 409 `pet_reserved`, `invalid_transition`, `pet_not_available`, `category_exists`, `category_in_use` 12. an earlier request with the same `Idempotency-Key`: 409 `idempotency_in_progress`, 422",
    );
  },
);

test("before the sunset the scope is checked before the pet is looked for", async () => {
  await service.setClock(SUNSET - 1);
  const client = await service.withKey(WRITER);
  expect(await client.get("/v1/pets/999")).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
});
