import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Answer, Client } from "../../support/client.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service);

/** Requests whose responses have different headers. */
const requests: Record<string, (client: Client) => Promise<Answer>> = {
  "a page": () => client.get("/v1/pets?limit=2"),
  "the last page": () => client.get("/v1/pets?limit=100"),
  "a deprecated operation": () => client.get("/v1/pets/1"),
  "a missing pet": () => client.get("/v1/pets/999"),
  "an invalid page": () => client.get("/v1/pets?limit=0"),
  "a method that the path lacks": () => client.request("/v1/pets", { method: "DELETE" }),
  "a request id": () => client.get("/v1/pets?limit=2", { "X-Request-Id": "given" }),
  "a page that the client has": () => client.get("/v1/pets?limit=2", { "If-None-Match": "*" }),
  "no key": () => service.anonymous().get("/v1/pets"),
};

/** These differ with each request. */
const changing = ["date", "x-request-id", "x-ratelimit-remaining", "ratelimit"];

async function shapeOf(name: string): Promise<unknown> {
  const { status, text, headers } = (await requests[name]?.(client)) ?? { headers: new Headers() };
  const shown = [...headers].map(([header, value]) => (changing.includes(header) ? header : `${header}: ${value}`));
  return { status, text, shown };
}

test("a response does not depend on those before it", async () => {
  for (let i = 0; i < 3; i++) await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
  const expected = new Map<string, unknown>();
  for (const name of Object.keys(requests)) expected.set(name, await shapeOf(name));
  const sequence = fc.array(fc.constantFrom(...Object.keys(requests)), { minLength: 5, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(sequence, async (names) => {
      for (const name of names) expect(await shapeOf(name)).toEqual(expected.get(name));
    }),
    { numRuns: 20 },
  );
});
