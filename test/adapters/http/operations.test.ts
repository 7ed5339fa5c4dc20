import { expect, test } from "bun:test";
import fc from "fast-check";
import { apiRoutes } from "../../../src/adapters/http/api.ts";
import { type Handler, newContext } from "../../../src/adapters/http/request-context.ts";
import type { Key } from "../../../src/domain/keys/key.ts";

/** Says which operation was routed to it. */
const named =
  (name: string): Handler =>
  () =>
    new Response(name);

const handlers = { listPets: named("listPets"), createPet: named("createPet"), getPet: named("getPet") };
const routes = apiRoutes(handlers, named("getUsage"), () => {});
const caller: Key = {
  id: "key_1",
  name: "",
  plan: "free",
  limits: { perMinute: 1, perDay: 1 },
  scopes: [],
  createdAt: 0,
};

const segment = fc.constantFrom(
  "pets",
  "usage",
  "",
  "1",
  "%70ets",
  "%75sage",
  "%2F",
  "a%2Fb",
  "%",
  "é",
  "..",
  "Pets",
  "pets;a",
);
const path = fc.array(segment, { maxLength: 4 }).map((segments) => ["/v1", ...segments].join("/"));
const method = fc.constantFrom("GET", "POST", "PUT", "DELETE", "OPTIONS");

test("what is counted as an operation is what the routes take for it", async () => {
  await fc.assert(
    fc.asyncProperty(method, path, async (its, target) => {
      const request = new Request(`http://localhost${target}`, { method: its });
      const exchange = { ...newContext(request, () => ""), caller };
      fc.pre(/^\/v1(\/|$)/.test(exchange.path));
      const answer = await routes.fetch(request, exchange);
      const routed = answer.status === 200 ? await answer.text() : "other";
      expect(exchange.operation).toBe(routed as typeof exchange.operation);
    }),
    { numRuns: 1_000 },
  );
});
