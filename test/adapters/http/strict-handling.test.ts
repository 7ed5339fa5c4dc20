import { describe, expect, test } from "bun:test";
import { operations } from "../../../src/adapters/http/operations/index.ts";
import { scopes } from "../../../src/domain/keys/key.ts";
import { states } from "../../support/markdown.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service, { scopes: [...scopes] });
const STRICT = { Prefer: "handling=strict" };

/** Sends JSON to a path; without a body it sends none. */
const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = STRICT) =>
  client.request(path, {
    method,
    headers: { "Content-Type": "application/json", ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

test("a misspelt parameter is refused, naming the nearest one, and ignored otherwise", async () => {
  states(
    "CHANGELOG.md",
    "refuses unknown query parameters and body fields, and names the nearest known one. The client sends it.",
  );
  states(
    "docs/rehearsal.md",
    "a misspelt parameter or field, which production would ignore, is then refused with the right name.",
  );
  states(
    "docs/interface.md",
    "Unknown query parameters and body fields are ignored: a misspelt filter finds everything. Send `Prefer: handling=strict` (RFC 7240) to have them refused, with the nearest name that there is.",
    "The response has `Preference-Applied: handling=strict`.",
  );
  await client.post("/v1/pets", { name: "Only", categoryId: 1 });
  const refused = await send("GET", "/v1/pets?state=sold&limit=5");
  expect(refused).toMatchObject({
    status: 400,
    body: {
      code: "invalid_parameter",
      message: "Query parameter state is unknown; the nearest is status.",
      details: [{ in: "query", field: "state", problem: "is unknown; the nearest is status" }],
    },
  });
  expect(refused.headers.get("Preference-Applied")).toBe("handling=strict");
  const lenient = ["handling=lenient", "x-handling=strict", "handling=lenient, handling=strict"];
  for (const headers of [{}, ...lenient.map((Prefer) => ({ Prefer }))]) {
    const ignored = await send("GET", "/v1/pets?state=sold&limit=5", undefined, headers);
    expect([ignored.status, ignored.headers.get("Preference-Applied")]).toEqual([200, null]);
    expect(ignored.body).toHaveLength(1);
    const added = await send("POST", "/v1/pets", { name: "Rex", categoryId: 1, state: "sold" }, headers);
    expect(added.body.status).toBe("available");
    await client.request(`/v1/pets/${added.body.id}`, { method: "DELETE" });
  }
});

test.each([
  "handling=strict",
  'Handling="strict"',
  "respond-async, handling=strict; a=b",
  "wait=1,handling = strict",
  "handling=strict, handling=lenient",
])("is preferred by %p", async (Prefer) => {
  expect((await send("GET", "/v1/pets?nmae=Rex", undefined, { Prefer })).body.message).toEndWith("nearest is name.");
  const known = await send("GET", "/v1/pets?name=Rex&ids[]=1&ids[0]=2", undefined, { Prefer });
  expect([known.status, known.headers.get("Preference-Applied")]).toEqual([200, "handling=strict"]);
});

test("a page that is cached is refused like one that is not", async () => {
  for (let i = 0; i < 3; i++) expect((await send("GET", "/v1/pets?unknown=1", undefined, {})).status).toBe(200);
  expect((await send("GET", "/v1/pets?unknown=1")).body.message).toStartWith(
    "Query parameter unknown is unknown; there are",
  );
});

describe("each operation", () => {
  test.each(operations.map(({ id, method, path, request }) => ({ id, method, path, request })))(
    "$id refuses unknown parameters and fields, and nothing is done",
    async ({ method, path, request }) => {
      const url = `/v1${path.replaceAll(/\{\w+\}/g, "1")}`;
      const [example] = (request?.body?.meta()?.examples ?? []) as object[];
      const before = (await client.get("/v1/store/inventory")).body;
      const byQuery = await send(method.toUpperCase(), `${url}?nonsense=1`, example);
      expect([byQuery.status, byQuery.body.details]).toMatchObject([400, [{ in: "query", field: "nonsense" }]]);
      if (example !== undefined) {
        const byBody = await send(method.toUpperCase(), url, { ...example, id: 7, nonsense: { id: 1 } });
        expect([byBody.status, byBody.body.code]).toEqual([400, "validation_failed"]);
        expect(byBody.body.details).toMatchObject([{ in: "body", field: "nonsense" }]);
      }
      expect((await client.get("/v1/store/inventory")).body).toEqual(before);
    },
  );
});

test("a misspelt field is refused beside what is missing, and a pet that was read can be sent back", async () => {
  states(
    "docs/interface.md",
    "`id` in a body is ignored all the same, so that you can send a pet back that you have read.",
  );
  const refused = await send("POST", "/v1/pets", { nmae: "Rex", categoryId: 1, __proto__x: 1 });
  expect(refused.body.details).toEqual([
    { in: "body", field: "nmae", problem: "is unknown; the nearest is name" },
    { in: "body", field: "__proto__x", problem: "is unknown; there are name, categoryId, status" },
    { in: "body", field: "name", problem: "is required" },
  ]);
  const { body: pet } = await send("POST", "/v1/pets", { name: "Rex", categoryId: 1 });
  expect((await send("PATCH", `/v1/pets/${pet.id}`, { ...pet, name: "Max" })).body).toEqual({ ...pet, name: "Max" });
});

test("a body of many unknown fields is refused with the first ones", async () => {
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`f${i}`, 1]));
  const refused = await send("POST", "/v1/pets", { name: "Rex", categoryId: 1, ...many });
  expect([refused.status, refused.body.details.length]).toEqual([400, 20]);
});
