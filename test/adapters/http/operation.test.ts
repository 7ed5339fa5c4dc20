import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { openApiOf } from "../../../src/adapters/http/openapi.ts";
import { operationFor } from "../../../src/adapters/http/operation.ts";
import { int64, pageLimit } from "../../../src/adapters/http/parameters.ts";
import { type HttpResponse, newContext, type RequestContext } from "../../../src/adapters/http/request.ts";
import { routerOf } from "../../../src/adapters/http/routes.ts";
import { PetstoreError } from "../../../src/domain/errors.ts";
import { states } from "../../support/markdown.ts";
import { fetched, noConnection, plainRequest } from "../../support/no-connection.ts";

type Services = { greeting: string };
const operation = operationFor<Services, RequestContext, { role: "viewer" | "admin" }>();

const answered = (body: object): HttpResponse => ({ status: 200, headers: {}, body: JSON.stringify(body) });

const listThings = operation({
  id: "listThings",
  route: "GET /things",
  role: "viewer",
  tag: "things",
  summary: "List things",
  request: { query: z.object({ limit: pageLimit(9, 3), after: int64(0).optional() }) },
  answers: { 200: { description: "Things.", schema: z.array(z.int()) } },
  handle: ({ greeting }, { query: { limit, after } }) => answered({ greeting, limit, after: String(after) }),
});

const changeThing = operation({
  id: "changeThing",
  route: "PATCH /things/{thingId}",
  role: "admin",
  tag: "things",
  summary: "Change a thing",
  request: {
    params: z.object({ thingId: z.string().regex(/^\w+$/) }),
    headers: z.object({
      "If-Match": z
        .string()
        .regex(/^".*"$/, { error: "must be an ETag" })
        .optional(),
    }),
    body: z.object({ name: z.string() }).default({ name: "unnamed" }),
    types: ["application/merge-patch+json"],
  },
  answers: { 204: "It was changed." },
  refusals: ["key_not_found", "invalid_state"],
  handle: async (_, { params, headers, body, context }) =>
    answered({ thingId: params.thingId, tag: headers["If-Match"], name: body.name, path: context.path }),
});

const removeThing = operation({
  ...{ id: "removeThing", route: "DELETE /things/{thingId}", role: "admin", tag: "things" },
  summary: "Remove a thing",
  answers: { 204: "It was removed." },
  handle: (_, input) => answered(input.params),
});

const operations = [listThings, removeThing, changeThing];
const router = routerOf("/v1", operations);

type Init = Parameters<typeof plainRequest>[1];

async function call(path: string, init?: Init): Promise<unknown> {
  const context = newContext(plainRequest(path, init), noConnection, router);
  const found = operations.find(({ id }) => id === context.route.operation?.id);
  if (found === undefined) throw new Error("nothing is there");
  return fetched(await found.bind({ greeting: "hello" }).handle(context)).json();
}

const refusal = (path: string, init?: Init) =>
  call(path, init).then(
    () => undefined,
    (error: unknown) => (error instanceof PetstoreError ? { code: error.code, message: error.message } : error),
  );

describe("an operation is found", () => {
  test.each([
    ["GET", "/v1/things", "listThings"],
    ["HEAD", "/v1/things", "listThings"],
    ["PATCH", "/v1/things/a", "changeThing"],
    ["DELETE", "/v1/things/a", "removeThing"],
    ["POST", "/v1/things", undefined],
    ["GET", "/v1/things/", undefined],
    ["PATCH", "/v1/things/a/b", undefined],
    ["GET", "/things", undefined],
  ])("%s %s: %s", (method, path, id) => {
    expect(router(method, path).operation?.id).toBe(id);
  });

  test("with the parameters of its path, and the methods that the path allows in one order", () => {
    expect(router("GET", "/v1/things/a")).toEqual({
      operation: undefined,
      pattern: undefined,
      params: { thingId: "a" },
      allowed: ["PATCH", "DELETE"],
    });
    expect(router("GET", "/v1/nothing").allowed).toEqual([]);
  });
});

describe("a request is read by its operation's schemas", () => {
  test("its query: unknown parameters are ignored", async () => {
    expect(await call("/v1/things?after=9223372036854775807&colour=red&colour=blue")).toEqual({
      greeting: "hello",
      limit: 3,
      after: "9223372036854775807",
    });
  });

  test("its path, headers and body", async () => {
    const headers = { "If-Match": '"1"', "Content-Type": "application/merge-patch+json" };
    expect(await call("/v1/things/a", { method: "PATCH", headers, body: '{"name":"b"}' })).toEqual({
      thingId: "a",
      tag: '"1"',
      name: "b",
      path: "/v1/things/a",
    });
  });

  test("an optional body may be missing", async () => {
    expect(await call("/v1/things/a", { method: "PATCH" })).toMatchObject({ name: "unnamed" });
  });

  test("and refused with every problem, by name and bounds", async () => {
    states(
      "docs/errors.md",
      "`details` | array, on some 400s only | One entry per problem: `in` (`body`, `query` or `header`), `field`, `problem`.",
      "Correct the fields in `details`: each entry says what its field must be.",
      "Correct the parameters in `details`: each entry has the bounds.",
    );
    expect(await refusal("/v1/things?limit=0&after=1&after=1")).toEqual({
      code: "invalid_parameter",
      message: "Query parameter after must be given once. Query parameter limit must be an integer from 1 to 9.",
    });
    expect(await refusal("/v1/things/a", { method: "PATCH", headers: { "If-Match": "1" } })).toEqual({
      code: "invalid_parameter",
      message: "Header If-Match must be an ETag.",
    });
    expect(await refusal("/v1/things/a", { method: "PATCH", body: "{}" })).toMatchObject({
      code: "unsupported_media_type",
    });
  });

  test("a part without a schema cannot be used", async () => {
    expect(String(await refusal("/v1/things/a", { method: "DELETE" }))).toContain("declares no schema");
  });
});

test("the document contains an operation's description, its scope, and every error that it may raise", () => {
  const { paths } = openApiOf(operations, {
    head: { info: { title: "Things", version: "1.0.0" } },
    securitySchemes: {},
    codes: [],
    headers: {},
    everywhere: {},
    security: () => [],
    refusals: ({ role }) => (role === "admin" ? ["insufficient_role", "cross_site_request"] : []),
    remark: ({ role }) => `Needs the role ${role}.`,
  });
  expect(paths?.["/things"]?.get?.parameters).toContainEqual(
    expect.objectContaining({ name: "limit", schema: expect.objectContaining({ minimum: 1, maximum: 9, default: 3 }) }),
  );
  const { patch } = paths?.["/things/{thingId}"] ?? {};
  expect(patch).toMatchObject({ operationId: "changeThing", description: "Needs the role admin." });
  expect(patch?.requestBody).toMatchObject({ required: false, content: { "application/merge-patch+json": {} } });
  expect(Object.keys(patch?.responses ?? {})).toEqual(["204", "400", "403", "404", "409", "413", "415"]);
  expect(patch?.responses?.[403].content["application/json"].examples).toMatchObject({
    insufficient_role: { value: { status: 403 } },
    cross_site_request: { value: { status: 403 } },
  });
});
