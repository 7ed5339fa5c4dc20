import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import manifest from "../../../package.json" with { type: "json" };
import { operations } from "../../../src/adapters/http/operations/index.ts";
import { scopes } from "../../../src/domain/keys/key.ts";
import { bearer } from "../../support/client.ts";
import { states } from "../../support/markdown.ts";
import { type RunningService, startService } from "../../support/service.ts";
import { useOperator, useService } from "../../support/use-service.ts";

const service = useService({ env: { PETSTORE_CORS_ORIGINS: "https://shop.example.com" } });
const { client: admin } = useOperator(service);

type Json = Record<string, unknown>;
/** A response of /mcp. Numbers beyond 2^53 are rounded in `body`: use `text` for them. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
type Answer = { status: number; headers: Headers; text: string; body: any };

const JSON_TYPE = { "Content-Type": "application/json" };
const META = "io.modelcontextprotocol/";
const STATELESS = { [`${META}protocolVersion`]: "2026-07-28", [`${META}clientCapabilities`]: {} };

async function send(
  url: string,
  headers: Record<string, string>,
  message: Json | string,
  method = "POST",
): Promise<Answer> {
  const body = typeof message === "string" ? message : JSON.stringify(message);
  const response = await fetch(`${url}/mcp`, { method, headers, ...(method !== "GET" && { body }) });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === "" ? undefined : JSON.parse(text) };
}

/** The headers that a message without sessions repeats. */
const mirroring = (method: string) => ({ "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method });

/** An agent with a key, which sends messages of one version of the protocol. */
class Agent {
  readonly #url: string;
  readonly headers: Record<string, string>;
  readonly #isStateless: boolean;

  constructor(url: string, secret: string, isStateless = true) {
    this.#url = url;
    this.headers = { ...bearer(secret), ...JSON_TYPE };
    this.#isStateless = isStateless;
  }

  static async of(
    running: RunningService,
    options: Parameters<RunningService["createKey"]>[0] = {},
    isStateless = true,
  ) {
    return new Agent(running.url, (await running.createKey(options)).secret, isStateless);
  }

  send(message: Json | string, headers: Record<string, string> = {}, method = "POST"): Promise<Answer> {
    return send(this.#url, { ...this.headers, ...headers }, message, method);
  }

  request(method: string, params: Json = {}, headers: Record<string, string> = {}): Promise<Answer> {
    const message = { jsonrpc: "2.0", id: 1, method };
    if (!this.#isStateless) return this.send({ ...message, params }, headers);
    const name = typeof params.name === "string" ? { "Mcp-Name": params.name } : {};
    const mirrored = { ...mirroring(method), ...name };
    return this.send({ ...message, params: { _meta: STATELESS, ...params } }, { ...mirrored, ...headers });
  }

  /** Calls a tool and returns its result. */
  async call(name: string, args: Json = {}, headers: Record<string, string> = {}) {
    const { status, text, body } = await this.request("tools/call", { name, arguments: args }, headers);
    if (status !== 200 || body.result === undefined) throw new Error(`the call has no result: ${status} ${text}`);
    return body.result;
  }

  /** Calls a tool and returns the text of its error. */
  async refused(name: string, args: Json = {}, headers: Record<string, string> = {}): Promise<string> {
    const { isError, content, structuredContent } = await this.call(name, args, headers);
    expect([isError, content.length, structuredContent]).toEqual([true, 1, undefined]);
    return content[0].text;
  }

  async tools(): Promise<Json[]> {
    return (await this.request("tools/list")).body.result.tools;
  }
}

describe.each([
  ["2026-07-28", true],
  ["2025-11-25", false],
])("with version %s", (version, isStateless) => {
  test("an agent finds the service, orders a pet, is refused a second time, and cancels", async () => {
    states(
      "docs/agents.md",
      "and headers in camel case: `idempotencyKey`, `ifMatch`,",
      "for lists `prefer`,",
      "The result has the `status`, some `headers` and the `body` of the response, as `structuredContent` and as text.",
      "An error is a result with `isError`.",
      "A model that repeats a creation sends the same `idempotencyKey`.",
      "which begin with `initialize`.",
      "202 | A notification. Nothing is done for it.",
    );
    states("docs/settings.md", "`on` lets agents call the service at `/mcp`, each with its API key.");
    const agent = await Agent.of(service, {}, isStateless);
    const begin = isStateless ? "server/discover" : "initialize";
    const { result } = (await agent.request(begin, isStateless ? {} : { protocolVersion: version })).body;
    expect(result).toMatchObject({ capabilities: { tools: {} }, instructions: expect.stringContaining("pet store") });
    const serverInfo = { name: "petstore", title: "Petstore", version: manifest.version };
    const { _meta, ttlMs, cacheScope, ...others } = (await agent.request("tools/list")).body.result;
    expect(Object.keys(others)).toEqual(isStateless ? ["resultType", "tools"] : ["tools"]);
    // What a key may call, operators may change: a client asks again after a minute, and nobody else gets its list.
    const fresh = isStateless
      ? [60_000, "private", { [`${META}serverInfo`]: serverInfo }]
      : [undefined, undefined, undefined];
    expect([ttlMs, cacheScope, _meta]).toEqual(fresh);
    expect([result.ttlMs, result.cacheScope, result._meta]).toEqual(fresh);
    if (isStateless)
      expect(result).toMatchObject({
        resultType: "complete",
        supportedVersions: ["2026-07-28", "2025-11-25", "2025-06-18"],
      });
    else expect(result).toMatchObject({ protocolVersion: version, serverInfo });
    if (!isStateless) {
      const initialized = await agent.send({ jsonrpc: "2.0", method: "notifications/initialized" });
      expect([initialized.status, initialized.text]).toEqual([202, ""]);
      expect((await agent.request("ping")).body.result).toEqual({});
    } else {
      const notification = { jsonrpc: "2.0", method: "notifications/cancelled" };
      const { status, text } = await agent.send(notification, { "MCP-Protocol-Version": version });
      expect([status, text]).toEqual([202, ""]);
    }

    const created = await agent.call("createPet", {
      name: `Rex of ${version}`,
      categoryId: 1,
      idempotencyKey: version,
    });
    expect(created).toMatchObject({ structuredContent: { status: 201, body: { status: "available" } } });
    expect(created.resultType).toBe(isStateless ? "complete" : undefined);
    const { id } = created.structuredContent.body;
    const again = await agent.call("createPet", { name: `Rex of ${version}`, categoryId: 1, idempotencyKey: version });
    expect(again.structuredContent).toMatchObject({ body: { id }, headers: { "Idempotency-Replayed": "true" } });

    const listed = await agent.call("listPets", { ids: [id], prefer: "count=exact" });
    expect(listed.structuredContent).toMatchObject({
      status: 200,
      headers: { "Petstore-Count": "1", "Preference-Applied": "count=exact" },
      body: [{ id, name: `Rex of ${version}` }],
    });
    expect(JSON.parse(listed.content[0].text)).toEqual(listed.structuredContent);

    const stale = { petId: id, ifMatch: '"stale"', name: "Mia" };
    expect(await agent.refused("updatePet", stale)).toStartWith("precondition_failed: ");
    const order = (await agent.call("placeOrder", { petId: id })).structuredContent.body;
    expect(order).toMatchObject({ petId: id, status: "placed" });
    expect(await agent.refused("placeOrder", { petId: id })).toStartWith("pet_not_available: ");
    expect(await agent.refused("updatePet", { petId: id, status: "sold" })).toStartWith("pet_reserved: ");
    const cancelled = await agent.call("updateOrder", { orderId: order.id, status: "cancelled" });
    expect(cancelled.structuredContent).toMatchObject({ status: 200, body: { status: "cancelled" } });
    const deleted = await agent.call("deletePet", { petId: id, ifMatch: "*" });
    expect(deleted.structuredContent).toEqual({ status: 204, headers: {} });
    expect(await agent.refused("deletePet", { petId: id })).toStartWith("pet_not_found: ");
  });
});

describe("the tools", () => {
  test("are the operations that are not deprecated and return no secret, each described by its own schemas", async () => {
    states(
      "docs/agents.md",
      "An agent has nothing that its key does not have: no operations of the administration interface, and no files.",
    );
    states(
      "docs/agents.md",
      "Here each operation of the interface is a tool, but for the deprecated getPet.",
      "rotateOwnKey is no tool: a secret belongs in no conversation.",
      "The arguments are the parameters of the operation, the fields of its body,",
      "`readOnlyHint`, `destructiveHint` and `idempotentHint` follow from the method of the operation,",
    );
    states("SECURITY.md", "has the operations of the public interface alone");
    const tools = await (await Agent.of(service, { scopes: [...scopes] })).tools();
    const offered = operations.filter(({ deprecated, id }) => deprecated === undefined && id !== "rotateOwnKey");
    expect(tools.map(({ name }) => name)).toEqual(offered.map(({ id }) => id));
    const { paths, components } = (await service.anonymous().get("/openapi.json")).body;
    const all = Object.values<object>(paths).flatMap((methods) => Object.values(methods));
    const requiredOf = (name: string): string[] => {
      const { parameters = [], requestBody } = all.find(({ operationId }) => operationId === name);
      const [media] = Object.values<{ schema: { $ref: string } }>(requestBody?.content ?? {});
      const body = components.schemas[media?.schema.$ref.split("/").at(-1) ?? ""];
      const required = parameters.filter((one: { required?: boolean }) => one.required);
      return [...required.map((one: { name: string }) => one.name), ...(body?.required ?? [])];
    };
    for (const { name, title, inputSchema, annotations } of tools) {
      const { method, summary, request } = offered.find(({ id }) => id === name) ?? {};
      expect(title).toBe(summary);
      expect(annotations).toMatchObject({
        readOnlyHint: method === "get",
        destructiveHint: ["put", "patch", "delete"].includes(method ?? ""),
        idempotentHint: ["get", "put", "delete"].includes(method ?? ""),
      });
      const { properties, required } = inputSchema as { properties: Json; required: string[] };
      expect(Object.keys(properties)).toEqual(
        expect.arrayContaining([
          ...Object.keys(request?.params?.shape ?? {}),
          ...Object.keys(request?.query?.shape ?? {}),
        ]),
      );
      expect([name, required.toSorted()]).toEqual([name, requiredOf(String(name)).toSorted()]);
      const undescribed = Object.values(properties).filter(
        (schema) => !JSON.stringify(schema).includes('"description":'),
      );
      expect(undescribed).toEqual([]);
    }
    expect(JSON.stringify(tools)).not.toContain("$ref");
    expect(tools.find(({ name }) => name === "updatePet")?.inputSchema).toMatchObject({
      properties: {
        petId: { type: "integer" },
        ifMatch: {},
        name: {},
        categoryId: { anyOf: [{ type: "integer" }, { type: "string" }] },
        status: { enum: ["available", "pending", "sold"] },
      },
      required: ["petId"],
      additionalProperties: false,
    });
    states(
      "docs/agents.md",
      "Here each operation of the interface is a tool, but for the deprecated getPet.",
      "rotateOwnKey is no tool: a secret belongs in no conversation.",
      "`readOnlyHint`, `destructiveHint` and `idempotentHint` follow from the method of the operation",
    );
  });

  test("are those that the scopes of the key allow; a call of another one says which scope is missing", async () => {
    states(
      "docs/agents.md",
      "`tools/list` has the tools that the scopes of the key allow. A call of another one is refused with `insufficient_scope`.",
    );
    const agent = await Agent.of(service, { scopes: ["pets:read"] });
    expect((await agent.tools()).map(({ name }) => name)).toEqual([
      "listPets",
      "listCategories",
      "getCategory",
      "getInventory",
      "getOwnKey",
      "listOwnRequests",
      "getUsage",
    ]);
    expect(await agent.refused("createPet", { name: "Rex", categoryId: 1 })).toBe(
      "insufficient_scope: This API key lacks the scope pets:write. Ask for a key that has it.",
    );
    states(
      "docs/agents.md",
      "`tools/list` has the tools that the scopes of the key allow. A call of another one is refused with `insufficient_scope`.",
    );
  });
});

describe("a call is a request like any other:", () => {
  test("it counts once, is in the history under its operation, and its response has the limits of the key", async () => {
    states(
      "docs/agents.md",
      "an operator creates it, sees in the request history what the agent does, and can disable it.",
    );
    states(
      "docs/agents.md",
      "A call of one is a request like any other: with the same key, scopes, limits and errors.",
      "A call counts as its operation counts: once,",
      "and in the request history under the name of its operation.",
      "Each response has the headers of the limits.",
    );
    const { secret, id } = await service.createKey({ limits: { perMinute: 5, perDay: 100 } });
    const agent = new Agent(service.url, secret);
    const { headers } = await agent.request("tools/call", { name: "listPets" }, { "X-Request-Id": `call-of-${id}` });
    expect(headers.get("X-RateLimit-Remaining")).toBe("4");
    expect(headers.get("RateLimit")).toStartWith('"minute";r=4;');
    expect(headers.get("X-Request-Id")).toBe(`call-of-${id}`);
    const { requests } = (await admin.get(`/admin/v1/requests?keyId=${id}`)).body;
    expect(requests).toMatchObject([{ path: "/v1/pets", method: "GET", operation: "listPets", status: 200 }]);
    states("docs/interface.md", "It needs a key, and a call there counts as a request to its operation.");
    states(
      "docs/agents.md",
      "A call of one is a request like any other: with the same key, scopes, limits and errors.",
      "It is in the usage and in the request history under the name of its operation.",
    );
  });

  test("beyond the limit its error says how long to wait, and after that it succeeds", async () => {
    states(
      "docs/agents.md",
      "Its text has the code, what to do, and after a 429 or a 503 the seconds in `Retry-After`.",
    );
    const agent = await Agent.of(service, { limits: { perMinute: 2, perDay: 100 } });
    await agent.call("listPets");
    await agent.call("listPets");
    const { status, headers, body } = await agent.request("tools/call", { name: "listPets" });
    expect([status, headers.get("X-RateLimit-Remaining")]).toEqual([200, "0"]);
    const seconds = headers.get("Retry-After");
    expect(body.result.isError).toBe(true);
    expect(body.result.content[0].text).toStartWith("rate_limit_exceeded: ");
    expect(body.result.content[0].text).toEndWith(` Retry-After: ${seconds} seconds.`);
    await service.advance({ seconds: Number(seconds) });
    expect((await agent.call("listPets")).isError).toBeUndefined();
    states(
      "docs/agents.md",
      "Its text has the code, what to do, and after a 429 or a 503 the seconds in `Retry-After`.",
    );
  });

  test("everything else is free, 60 times per minute together with refused calls; then nothing is read of a key at its limit", async () => {
    states("docs/agents.md", "Beyond that the response is 429 `rate_limit_exceeded`, which is not a strike.");
    states(
      "docs/agents.md",
      "the beginning of a conversation and `tools/list`, about four messages, and calls that are refused before they reach an operation.",
    );
    states(
      "docs/agents.md",
      "All other messages are free,",
      "60 times per minute together with it:",
      "Calls that exceed the limits count here as well. Beyond that the response is 429 `rate_limit_exceeded`,",
    );
    const agent = await Agent.of(service, { limits: { perMinute: 1, perDay: 100 } });
    expect((await agent.request("tools/list")).headers.get("X-RateLimit-Remaining")).toBe("1");
    await agent.call("listPets");
    for (let i = 0; i < 58; i++) await agent.request("server/discover");
    expect(await agent.refused("listPets")).toStartWith("rate_limit_exceeded: ");
    for (const message of ['{"jsonrpc":"2.0","id":1,"method":"ping"}', "no message"]) {
      const { status, headers, body } = await agent.send(message);
      expect([status, body.code]).toEqual([429, "rate_limit_exceeded"]);
      expect(Number(headers.get("Retry-After"))).toBeGreaterThan(0);
    }
    await service.advance({ seconds: 60 });
    expect((await agent.call("listPets")).isError).toBeUndefined();
    for (let i = 0; i < 60; i++) await agent.request("server/discover");
    expect((await agent.request("server/discover")).status).toBe(429);
    states(
      "docs/agents.md",
      "All other messages are free, as `GET /usage` is, 60 times per minute together with it",
      "and calls that are refused before they reach an operation. Calls that exceed the limits count here as well.",
    );
  });

  test("a call goes on when the free messages are used up", async () => {
    states("docs/usage.md", "and with the free messages of agents.");
    const { secret } = await service.createKey({ limits: { perMinute: 100, perDay: 100 } });
    const agent = new Agent(service.url, secret);
    for (let i = 0; i < 60; i++) await agent.request("server/discover");
    expect((await agent.call("listPets")).isError).toBeUndefined();
    expect((await service.withSecret(secret).get("/v1/usage")).status).toBe(429);
  });

  test("many pets count as many", async () => {
    states("docs/agents.md", "`createPets` as the number of its pets,");
    const agent = await Agent.of(service, { limits: { perMinute: 100, perDay: 1000 } });
    const pets = Array.from({ length: 40 }, () => ({ name: "Rex", categoryId: 1 }));
    const { body, headers } = await agent.request("tools/call", { name: "createPets", arguments: { pets } });
    expect(body.result.structuredContent.body.pets).toHaveLength(40);
    expect(headers.get("X-RateLimit-Remaining")).toBe("60");
  });

  test("a hundred pets with the longest names may be larger than the body of another call", async () => {
    states("docs/agents.md", "A message is a `POST` with one JSON-RPC request or notification, of at most 256 KiB;");
    const agent = await Agent.of(service);
    const pets = Array.from({ length: 100 }, () => ({ name: "🐕".repeat(255), categoryId: 1 }));
    expect((await agent.call("createPets", { pets })).structuredContent.body.pets).toEqual(
      pets.map((pet) => expect.objectContaining(pet)),
    );
    states("docs/agents.md", "of at most 256 KiB");
  });
});

describe("integers", () => {
  const LARGEST = "9223372036854775807";
  const SMALLEST = "-9223372036854775808";

  test.each([LARGEST, SMALLEST, `"${LARGEST}"`, `"${SMALLEST}"`])("%s comes back digit for digit", async (given) => {
    states(
      "docs/agents.md",
      'Integers keep all their digits in both directions. A program whose parser rounds those beyond 2^53 sends them as text, such as `"9223372036854775807"`, and reads them in the text of the result.',
    );
    const agent = await Agent.of(service, {}, false);
    const digits = given.replaceAll('"', "");
    const call = (name: string, args: string) =>
      agent.send(
        `{"jsonrpc":"2.0","id":${LARGEST},"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`,
      );
    const { text } = await call("createPet", `{"name":"Rex","categoryId":${given}}`);
    expect(text).toContain(`"id":${LARGEST},"result"`);
    expect(text).toContain(`\\"categoryId\\":${digits},`);
    expect(text).toContain(`"categoryId":${digits},`);
    expect((await call("listPets", `{"categoryId":${given}}`)).text).toContain(`"categoryId":${digits},`);
    expect((await call("putCategory", `{"categoryId":${given},"name":"n${digits}"}`)).text).toContain(
      `"id":${digits},`,
    );
    const batch = await call("createPets", `{"pets":[{"name":"Rex","categoryId":${given}}]}`);
    expect(batch.text).toContain(`"categoryId":${digits},`);
    states(
      "docs/agents.md",
      "Integers keep all their digits in both directions.",
      'sends them as text, such as `"9223372036854775807"`, and reads them in the text of the result.',
    );
  });

  test.each([
    "1.5",
    "1e-400",
    "1.0000000000000000000001",
    "9223372036854775808",
    "1e400",
    '"1.0"',
    '"01"',
    "true",
    "null",
  ])("%s is none", async (given) => {
    const agent = await Agent.of(service, {}, false);
    const { body } = await agent.send(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"createPet","arguments":{"name":"Rex","categoryId":${given}}}}`,
    );
    expect(body.result.isError).toBe(true);
    expect(body.result.content[0].text).toStartWith("validation_failed: categoryId must be an integer");
  });

  test.each(["1e2", "100.0", "100"])("%s is 100", async (given) => {
    const agent = await Agent.of(service, {}, false);
    const { text } = await agent.send(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"listPets","arguments":{"limit":${given}}}}`,
    );
    expect(text).toContain('"status":200');
  });
});

describe("arguments", () => {
  test.each<[string, Json, string]>([
    ["listPets", { limt: 1 }, "validation_failed: limt is unknown; the nearest is limit."],
    ["createPet", { name: "Rex", categoryId: 1, colour: "red" }, "validation_failed: colour is unknown; "],
    [
      "createPets",
      { pets: [{ name: "Rex", categoryId: 1, nme: 1 }] },
      "validation_failed: pets.0.nme is unknown; the nearest is name.",
    ],
    ["getCategory", {}, "invalid_parameter: The argument categoryId is required."],
    ["getOrder", { orderId: "" }, "invalid_parameter: The argument orderId is required."],
    ["getOrder", { orderId: "../pets" }, "order_not_found: "],
    ["getOrder", { orderId: ".." }, "order_not_found: "],
    ["getOrder", { orderId: "1?x#y" }, "order_not_found: "],
    ["listPets", { limit: 0 }, "invalid_parameter: Query parameter limit must be an integer from 1 to 100."],
    ["listPets", { status: "lost" }, "invalid_parameter: Query parameter status "],
    ["listPets", { ids: [1, "&limit=1"] }, "invalid_parameter: Query parameter ids "],
    ["listPets", { ids: { a: 1 } }, "invalid_parameter: Query parameter ids "],
    ["createPet", {}, "validation_failed: name is required. categoryId is required."],
    ["createPet", { name: "Rex", categoryId: 1, status: null }, "validation_failed: status "],
    ["placeOrder", { petId: 1, idempotencyKey: "a\nb" }, "invalid_parameter: Header Idempotency-Key "],
    [
      "createPet",
      { name: "x".repeat(70_000), categoryId: 1 },
      "payload_too_large: The request body must not be larger than 65536 bytes.",
    ],
  ])("of %s: %j", async (name, args, expected) => {
    states(
      "docs/agents.md",
      "Handling is strict: an argument that the tool does not have is refused, and the nearest known one is named.",
    );
    const agent = await Agent.of(service);
    expect(await agent.refused(name, args)).toStartWith(expected);
  });

  test("null leaves out a parameter, and the id of a pet that was read is ignored", async () => {
    const agent = await Agent.of(service);
    expect((await agent.call("listPets", { limit: 1, status: null, ids: null })).structuredContent.status).toBe(200);
    expect((await agent.call("createPet", { id: 7, name: "Rex", categoryId: 1 })).structuredContent.status).toBe(201);
  });

  test("pages lead on by the header Link, and new events can be waited for", async () => {
    states(
      "docs/agents.md",
      'and the service sends nothing by itself: to wait for events, call `listEvents` with `"prefer": "wait=30"`.',
    );
    states(
      "docs/agents.md",
      "The next page of a list is in the header `Link`,",
      'to wait for events, call `listEvents` with `"prefer": "wait=30"`.',
    );
    const agent = await Agent.of(service);
    for (const name of ["Mia", "Tom"]) await agent.call("createPet", { name, categoryId: 77 });
    const first = (await agent.call("listPets", { categoryId: 77, limit: 1 })).structuredContent;
    const after = new URL(/<(.*?)>; rel="next"/.exec(first.headers.Link)?.[1] ?? "").searchParams.get("after");
    expect((await agent.call("listPets", { categoryId: 77, limit: 1, after })).structuredContent.body).toMatchObject([
      { name: "Tom" },
    ]);
    const { id: categoryId } = (await agent.call("createCategory", { name: "Waited for" })).structuredContent.body;
    // The position may be before the events of other tests, of which none removes a category.
    const position = first.headers["Petstore-Position"];
    const waited = agent.call("listEvents", { after: position, types: ["category.deleted"], prefer: "wait=60" });
    await agent.call("deleteCategory", { categoryId });
    expect((await waited).structuredContent.body).toMatchObject([{ data: { name: "Waited for" } }]);
    states(
      "docs/agents.md",
      "The next page of a list is in the header `Link`, as everywhere.",
      'to wait for events, call `listEvents` with `"prefer": "wait=30"`.',
    );
  });
});

test("a result has the headers that say something of the pet, the order or the page, as the response has them", async () => {
  const { secret } = await service.createKey();
  const [agent, client] = [new Agent(service.url, secret), service.withSecret(secret)];
  for (const name of ["Mia", "Tom"]) await agent.call("createPet", { name, categoryId: 88 });
  const pet = { name: "Rex", categoryId: 88 };
  const once = { "Idempotency-Key": "once" };
  await client.post("/v1/pets", pet, once);
  const names = ["ETag", "Link", "Location", "Idempotency-Replayed", "Preference-Applied", "Petstore-Count"];
  names.push("Petstore-Position");
  const given = new Set<string>();
  for (const [response, tool, args] of [
    [await client.post("/v1/pets", pet, once), "createPet", { ...pet, idempotencyKey: "once" }],
    [
      await client.get("/v1/pets?categoryId=88&limit=1", { Prefer: "count=exact" }),
      "listPets",
      { categoryId: 88, limit: 1, prefer: "count=exact" },
    ],
  ] as const) {
    const headers = names.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value]];
    });
    for (const [name = ""] of headers) given.add(name);
    expect((await agent.call(tool, args)).structuredContent.headers).toEqual(Object.fromEntries(headers));
  }
  expect([...given].toSorted()).toEqual(names.toSorted());
  states(
    "docs/agents.md",
    "The result has the `status`, some `headers` and the `body` of the response, as `structuredContent` and as text.",
  );
});

test("a version has its own methods, and not those of the others", async () => {
  states(
    "docs/agents.md",
    "It keeps no sessions: any node answers any message.",
    "2026-07-28, in which each message stands alone, and 2025-11-25 and 2025-06-18, which begin with `initialize`.",
  );
  for (const [isStateless, own, foreign, status] of [
    [true, ["server/discover"], ["initialize", "ping"], 404],
    [false, ["initialize", "ping"], ["server/discover"], 200],
  ] as const) {
    const agent = await Agent.of(service, {}, isStateless);
    for (const method of [...own, "tools/list"]) {
      const { body } = await agent.request(method);
      expect([method, body.result === undefined, body.error]).toEqual([method, false, undefined]);
    }
    for (const method of [...foreign, "resources/list"]) {
      const answer = await agent.request(method);
      expect([method, answer.status, answer.body.error?.code]).toEqual([method, status, -32_601]);
    }
  }
});

test("metadata may be left out where a version does not need it, and is named where it does", async () => {
  const agent = await Agent.of(service, {}, false);
  for (const params of [undefined, {}, { _meta: {} }, { _meta: { progressToken: 1 } }, { _meta: STATELESS }]) {
    // With its own version a message is one without sessions.
    const headers = params?._meta === STATELESS ? mirroring("tools/list") : {};
    const { body } = await agent.send(
      { jsonrpc: "2.0", id: 1, method: "tools/list", ...(params && { params }) },
      headers,
    );
    expect([params, body.error]).toEqual([params, undefined]);
  }
  for (const lacking of Object.keys(STATELESS)) {
    const _meta = Object.fromEntries(Object.entries(STATELESS).filter(([name]) => name !== lacking));
    const message = { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta } };
    const { status, body } = await agent.send(message, mirroring("tools/list"));
    expect([status, body.error]).toEqual([400, { code: -32_602, message: `params._meta lacks ${lacking}.` }]);
  }
});

describe("what is no message is refused:", () => {
  test("is what the documents say", () => {
    states(
      "docs/agents.md",
      "There are no prompts and resources,",
      "400 | The message is no JSON (-32700), no request (-32600), such as a batch, or has wrong parameters (-32602); header and message differ (-32020); the version is unknown (-32022).",
      "404 | An unknown method, in version 2026-07-28 (-32601).",
      "an unknown tool, or an unknown method in a version with `initialize`.",
      "the response is JSON, and no stream.",
    );
  });
  const rpc = (members: string) => `{"jsonrpc":"2.0",${members}}`;
  const deep = `${"[".repeat(40)}${"]".repeat(40)}`;
  const LIST = rpc('"id":1,"method":"tools/list"');
  const stateless = (members = "") =>
    rpc(`"id":1,"method":"tools/list","params":{"_meta":${JSON.stringify(STATELESS)}${members}}`);
  const mirrored = mirroring("tools/list");

  test.each<[string, string, Record<string, string>, status: number, code: number | string]>([
    ["no JSON", "{", {}, 400, -32_700],
    ["an empty body", "", {}, 400, -32_700],
    ["a key twice", rpc('"id":1,"id":2,"method":"ping"'), {}, 400, -32_700],
    [
      "a key twice in the arguments",
      rpc('"id":1,"method":"tools/call","params":{"name":"listPets","arguments":{"limit":1,"limit":2}}'),
      {},
      400,
      -32_700,
    ],
    ["deep JSON", rpc(`"id":1,"method":"ping","params":{"x":${deep}}`), {}, 400, -32_700],
    ["a batch", `[${LIST}]`, {}, 400, -32_600],
    ["another version of JSON-RPC", '{"jsonrpc":"1.0","id":1,"method":"ping"}', {}, 400, -32_600],
    ["no method", rpc('"id":1'), {}, 400, -32_600],
    ["a response", rpc('"id":1,"result":{}'), {}, 400, -32_600],
    ["an id that is null", rpc('"id":null,"method":"ping"'), {}, 400, -32_600],
    ["an id that is a fraction", rpc('"id":1.5,"method":"ping"'), {}, 400, -32_600],
    ["an id beyond int64", rpc(`"id":${"9".repeat(400)},"method":"ping"`), {}, 400, -32_600],
    ["a long id", rpc(`"id":"${"x".repeat(300)}","method":"ping"`), {}, 400, -32_600],
    ["an unknown method", rpc('"id":1,"method":"resources/list"'), {}, 200, -32_601],
    ["parameters that are an array", rpc('"id":1,"method":"ping","params":[]'), {}, 400, -32_602],
    ["an unknown tool", rpc('"id":1,"method":"tools/call","params":{"name":"dropPets"}'), {}, 200, -32_602],
    ["a deprecated operation", rpc('"id":1,"method":"tools/call","params":{"name":"getPet"}'), {}, 200, -32_602],
    [
      "arguments that are an array",
      rpc('"id":1,"method":"tools/call","params":{"name":"listPets","arguments":[]}'),
      {},
      400,
      -32_602,
    ],
    ["a page that does not exist", rpc('"id":1,"method":"tools/list","params":{"cursor":"2"}'), {}, 400, -32_602],
    ["an unknown version", LIST, { "MCP-Protocol-Version": "1999-01-01" }, 400, -32_022],
    ["a version without its metadata", LIST, mirrored, 400, -32_602],
    ["a version without its header", stateless(), {}, 400, -32_020],
    ["another version in the header", stateless(), { ...mirrored, "MCP-Protocol-Version": "2025-11-25" }, 400, -32_020],
    ["another method in the header", stateless(), { ...mirrored, "Mcp-Method": "tools/call" }, 400, -32_020],
    [
      "initialize in the version without it",
      stateless().replace("tools/list", "initialize"),
      { ...mirrored, "Mcp-Method": "initialize" },
      404,
      -32_601,
    ],
    ["another media type", LIST, { "Content-Type": "text/plain" }, 415, "unsupported_media_type"],
    [
      "a large message",
      rpc(`"id":1,"method":"ping","params":{"x":"${"x".repeat(256 * 1024)}"}`),
      {},
      413,
      "payload_too_large",
    ],
    ["a page of another origin", LIST, { Origin: "https://evil.example.com" }, 403, -32_600],
    ["a sandboxed page", LIST, { Origin: "null" }, 403, -32_600],
  ])("%s", async (_, message, headers, status, code) => {
    const agent = await Agent.of(service, { limits: { perMinute: 5, perDay: 50 } });
    const answer = await agent.send(message, headers);
    expect([answer.status, answer.body.error?.code ?? answer.body.code]).toEqual([status, code]);
    expect(answer.headers.get("Content-Type")).toBe("application/json");
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    // It was free.
    expect(answer.headers.get("X-RateLimit-Remaining")).toBe("5");
  });

  test("and its error has its id, if that is one", async () => {
    const agent = await Agent.of(service);
    expect((await agent.send(rpc('"id":"x","method":"resources/list"'))).body.id).toBe("x");
    expect((await agent.send(rpc('"id":9007199254740993,"method":7'))).text).toContain('"id":9007199254740993,"error"');
    expect((await agent.send(rpc('"id":{},"method":"ping"'))).body).not.toHaveProperty("id");
  });

  test("a call whose header has another name, plain or in Base64", async () => {
    const agent = await Agent.of(service);
    const encoded = `=?base64?${Buffer.from("listPets").toString("base64")}?=`;
    const call = (name: string) => agent.request("tools/call", { name: "listPets" }, { "Mcp-Name": name });
    expect((await call("listOrders")).body.error.code).toBe(-32_020);
    expect((await call(encoded)).body.result.isError).toBeUndefined();
  });

  test.each(["GET", "DELETE", "PUT"])("%s", async (method) => {
    states("docs/agents.md", "405 | Any method but `POST`.");
    const answer = await (await Agent.of(service)).send("", {}, method);
    expect([answer.status, answer.body.code, answer.headers.get("Allow")]).toEqual([405, "method_not_allowed", "POST"]);
  });

  test("all of it is refused without a key, before it is read", async () => {
    states("docs/agents.md", "The key is in the header `Authorization`, as in every request.");
    states("SECURITY.md", "Agents | `/mcp` needs a key");
    states("docs/interface.md", "It needs a key,");
    for (const method of ["POST", "GET"]) {
      const answer = await send(service.url, JSON_TYPE, "{", method);
      expect([answer.status, answer.body.code]).toEqual([401, "missing_api_key"]);
      expect(answer.headers.get("WWW-Authenticate")).toBe('Bearer realm="petstore"');
      expect(answer.headers.has("X-RateLimit-Remaining")).toBe(true);
    }
  });
});

test("the table of responses in docs/agents.md has the status of each", async () => {
  states("docs/agents.md", "The same errors as everywhere, with the same body.");
  const agent = await Agent.of(service);
  const answers: Record<string, Answer> = {
    "A result": await agent.request("tools/list"),
    "A notification": await agent.send({ jsonrpc: "2.0", method: "notifications/initialized" }),
    "The message": await agent.send("{"),
    "The same": await agent.send("{", { Authorization: "" }),
    "The header `Origin`": await agent.request("tools/list", {}, { Origin: "https://other.example.com" }),
    "An unknown method": await agent.request("nothing"),
    "Any method but": await agent.send("", {}, "GET"),
  };
  const page = readFileSync(join(import.meta.dir, "../../../docs/agents.md"), "utf8");
  const rows = [...page.matchAll(/^\| (\d[\d, ]*) \| (.*) \|$/gm)];
  const stated = Object.keys(answers).map((when) => rows.find(([, , text = ""]) => text.startsWith(when))?.[1]);
  expect(stated.map((statuses) => Number(statuses?.split(",")[0]))).toEqual(
    Object.values(answers).map(({ status }) => status),
  );
  expect(rows).toHaveLength(stated.length);
});

test("no message makes the service fail, and each response has an id and limits", async () => {
  const json = fc.jsonValue({ maxDepth: 3 });
  const text = fc.constantFrom(
    "2.0",
    "2026-07-28",
    "2025-11-25",
    "tools/call",
    "tools/list",
    "initialize",
    "__proto__",
    "",
  );
  const argumentNames = fc.constantFrom(
    "limit",
    "ids",
    "name",
    "categoryId",
    "status",
    "pets",
    "petId",
    "simulate",
    "__proto__",
  );
  const call = fc.record({
    name: fc.constantFrom(...operations.map(({ id }) => id)),
    arguments: fc.oneof(fc.dictionary(argumentNames, fc.oneof(json, fc.bigInt().map(String))), json),
    _meta: fc.oneof(fc.constant(STATELESS), json),
  });
  const member = fc.oneof(text, json);
  const message = fc.record(
    {
      jsonrpc: fc.oneof({ weight: 5, arbitrary: fc.constant("2.0") }, member),
      id: fc.oneof({ weight: 5, arbitrary: fc.integer() }, member),
      method: fc.oneof({ weight: 5, arbitrary: fc.constant("tools/call") }, member),
      params: fc.oneof({ weight: 5, arbitrary: call }, member),
    },
    { requiredKeys: [] },
  );
  const headers = fc.record(
    { "MCP-Protocol-Version": text, "Mcp-Method": text, "Mcp-Name": fc.constantFrom("listPets", "=?base64?%?=") },
    { requiredKeys: [] },
  );
  let agent = await Agent.of(service);
  let sent = 0;
  await fc.assert(
    fc.asyncProperty(message, headers, async (content, given) => {
      // Then its free messages would be used up.
      if (++sent % 50 === 0) agent = await Agent.of(service);
      const answer = await agent.send(JSON.stringify(content), given);
      expect([200, 202, 400, 404]).toContain(answer.status);
      expect([...answer.headers.keys()]).toEqual(
        expect.arrayContaining(["x-request-id", "x-ratelimit-limit", "ratelimit"]),
      );
      expect(answer.text).not.toContain("internal_error");
    }),
    { numRuns: 300, seed: 1 },
  );
  states("docs/agents.md", "Each response has the headers of the limits.");
});

test("pages of a listed origin may send messages, and other clients need neither Origin nor Accept", async () => {
  states(
    "docs/agents.md",
    "403 | The header `Origin` names a page of an origin that is not in `PETSTORE_CORS_ORIGINS`.",
  );
  states("SECURITY.md", "and refuses pages of origins that you have not listed.");
  const agent = await Agent.of(service);
  const origin = { Origin: "https://shop.example.com" };
  const { status, headers } = await agent.request("tools/list", {}, origin);
  expect([status, headers.get("Access-Control-Allow-Origin")]).toEqual([200, origin.Origin]);
  const preflight = await fetch(`${service.url}/mcp`, {
    method: "OPTIONS",
    headers: { ...origin, "Access-Control-Request-Method": "POST" },
  });
  expect([preflight.status, preflight.headers.get("Access-Control-Allow-Headers")]).toEqual([
    204,
    expect.stringContaining("Mcp-Name"),
  ]);
  expect((await agent.request("tools/list", {}, { Origin: "http://petstore.test" })).status).toBe(200);
  expect((await agent.request("tools/list", {}, { Accept: "text/event-stream" })).status).toBe(200);
  expect((await agent.request("tools/list", {}, { Origin: "https://evil.example.com" })).status).toBe(403);
  states("docs/agents.md", "So a page cannot reach a service in your network under another name (DNS rebinding).");
});

test("on staging a call can rehearse; in production it is refused, by argument and by header", async () => {
  states("docs/agents.md", "and on staging `simulate` for a rehearsal.");
  await using staging = await startService({ env: { PETSTORE_DEPLOYMENT: "staging" } });
  const agent = await Agent.of(staging);
  const refused = await agent.refused("listPets", { simulate: "quota_exceeded" });
  expect(refused).toMatch(/^quota_exceeded: .* Retry-After: \d+ seconds\. This was simulated\.$/);
  expect(await agent.refused("listPets", {}, { "Petstore-Simulate": "pet_not_found" })).toStartWith("pet_not_found: ");
  await expect(agent.call("listPets", { simulate: "disconnect" })).rejects.toThrow();

  const producing = await Agent.of(service);
  expect(await producing.refused("listPets", { simulate: "quota_exceeded" })).toStartWith(
    "validation_failed: simulate is unknown",
  );
  expect(
    await producing.refused("createPet", { name: "Rex", categoryId: 1 }, { "Petstore-Simulate": "quota_exceeded" }),
  ).toStartWith("invalid_parameter: ");
  states("docs/agents.md", "and on staging `simulate` for a rehearsal.");
});

test("a setting switches it off", async () => {
  states(
    "CHANGELOG.md",
    "`PETSTORE_MCP=off` leaves it out.",
    "Each operation but getPet is a tool, the scopes of the key decide which are listed, and a call is a request like any other, with the same limits, history, errors and exact integers.",
  );
  states("docs/agents.md", "`PETSTORE_MCP=off` leaves the path out.");
  states("docs/settings.md", "`off` leaves that path out.");
  await using without = await startService({ env: { PETSTORE_MCP: "off" } });
  const { status, body } = await (await Agent.of(without)).request("tools/list");
  expect([status, body.code]).toEqual([404, "not_found"]);
  states("docs/agents.md", "`PETSTORE_MCP=off` leaves the path out.");
});

const CLIENT = join(
  import.meta.dir,
  "../../clients/libraries/node_modules/@modelcontextprotocol/client/dist/index.mjs",
);
const hasClient = existsSync(CLIENT);
if (!hasClient)
  console.log("skipped: the protocol's own client, without `npm install --prefix test/clients/libraries`");

describe.skipIf(!hasClient).each([
  ["auto", "2026-07-28"],
  ["legacy", "2025-11-25"],
])("the protocol's own client (%s)", (mode, version) => {
  test("lists and calls tools, and finds results and errors as their descriptions say", async () => {
    const { Client, StreamableHTTPClientTransport } = await import(CLIENT);
    const { secret } = await service.createKey();
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    const requestInit = { headers: bearer(secret) };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit }));
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    // It compares each result with the schema that the list has for it.
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(operations.length - 2);
    const call = (name: string, args: Json) => client.callTool({ name, arguments: args });
    const { structuredContent } = await call("createPet", { name: "Rex", categoryId: "9223372036854775807" });
    const petId = structuredContent.body.id;
    expect(await call("placeOrder", { petId })).toMatchObject({ structuredContent: { body: { petId } } });
    expect(await call("placeOrder", { petId })).toMatchObject({ isError: true });
    for (const name of [
      "listPets",
      "listCategories",
      "listOrders",
      "listEvents",
      "getInventory",
      "getOwnKey",
      "getUsage",
    ]) {
      expect(await call(name, {})).toMatchObject({ structuredContent: { status: 200 } });
    }
    await client.close();
  });
});
