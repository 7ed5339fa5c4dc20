import { expect, test } from "bun:test";
import fc from "fast-check";
import { Hono } from "hono";
import { operations } from "../../../src/adapters/http/operations/index.ts";
import { pathOf, urlOf } from "../../../src/adapters/http/request.ts";
import { routerOf } from "../../../src/adapters/http/routes.ts";

const router = routerOf("/v1", operations);

/** The same routes in Hono's router. Each returns the name of its operation. */
const hono = new Hono();
for (const { id, method, path } of operations) {
  hono.on(method.toUpperCase(), `/v1${path.replace(/\{(\w+)\}/g, ":$1")}`, (c) => c.text(id));
}
hono.notFound((c) => c.text("none"));

const segment = fc.constantFrom(
  "pets",
  "usage",
  "categories",
  "store",
  "orders",
  "inventory",
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
const method = fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");

test("a request leads to the operation that Hono's router finds", async () => {
  await fc.assert(
    fc.asyncProperty(method, path, async (its, target) => {
      const request = new Request(`http://localhost${target}`, { method: its });
      const asked = its === "HEAD" ? new Request(request.url) : request;
      const found = router(its, pathOf(urlOf(its, target) ?? "")).operation?.id ?? "none";
      expect(found).toBe(await (await hono.fetch(asked)).text());
    }),
    { numRuns: 1_000 },
  );
});
