import { afterAll, expect, test } from "bun:test";
import { Calls } from "../../src/calls.ts";
import { settingsOf } from "../../src/options.ts";

/** A server that returns what it received; nothing for DELETE, like a service that removed something. */
const server = Bun.serve({
  port: 0,
  fetch: async (request) => {
    if (request.method === "DELETE") return new Response(null, { status: 204 });
    const { method, headers } = request;
    return Response.json({ method, body: await request.text(), headers: Object.fromEntries(headers) });
  },
});
afterAll(() => server.stop());

const calls = new Calls(settingsOf({ apiKey: "pets_live_x", baseUrl: `http://127.0.0.1:${server.port}/v1` }));

test.each(["POST", "PUT", "PATCH"] as const)("%s sends its body, and only POST an idempotency key", async (method) => {
  const { value } = await calls.make({
    operation: "getPet",
    method,
    path: "/pets/1",
    body: `{"name":"Rex"}`,
    options: {},
  });
  expect(value).toMatchObject({ method, body: `{"name":"Rex"}`, headers: { "content-type": "application/json" } });
  expect(JSON.stringify(value).includes("idempotency-key")).toBe(method === "POST");
});

test("DELETE sends no body, and 204 has no value", async () => {
  const result = await calls.make({
    operation: "getPet",
    method: "DELETE",
    path: "/pets/1",
    options: { headers: { "If-Match": `"1"` } },
  });
  expect([result.value, result.response.status]).toEqual([undefined, 204]);
});
