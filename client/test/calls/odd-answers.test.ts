import { expect, test } from "bun:test";
import fc from "fast-check";
import { states } from "../../../test/support/markdown.ts";
import { type Clock, PetstoreClient, PetstoreError } from "../../src/main.ts";

/** Response headers: as the service sends them, malformed ones, and arbitrary ones. */
const value = fc.oneof(
  fc.constantFrom(
    ...["", "0", "-1", "1e9", "NaN", "99999999999999999999", "soon", "@1795132800", "Thu, 05 Dec 2030 00:00:00 GMT"],
    ...[
      '"minute";r=0;t=0, "day";r=1;t=99999999999',
      '"minute";q=0;w=0',
      '"minute";r=5',
      '"";r=1;t=1',
      ",,;=",
      '"__proto__";r=1;t=1',
    ],
    ...[
      '<http://[>; rel="next"',
      '</v1/pets?after=x>; rel="next"',
      '<?>; rel="next"',
      "<>; rel=next",
      '<http://x/?after=1&ids=1,b>; rel="next"',
    ],
  ),
  fc.stringMatching(/^[ -~]{0,20}$/),
);
const names = [
  ...[
    "RateLimit",
    "RateLimit-Policy",
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
    "Retry-After",
  ],
  ...["Date", "Deprecation", "Sunset", "Link", "ETag"],
];
const body = fc.oneof(
  fc.json(),
  fc.string(),
  fc.constantFrom(
    ...[
      "null",
      "[]",
      "[null]",
      "{}",
      '[{"id":1.5,"categoryId":1}]',
      '{"id":1e400,"categoryId":1}',
      '{"id":9007199254740993.0,"categoryId":1}',
    ],
    ...[
      '{"code":"constructor","message":"x"}',
      '{"code":1}',
      '{"code":"precondition_failed","message":"x"}',
      '{"code":"invalid_transition","message":"x"}',
      '{"code":"pet_not_found","message":"x"}',
      '{"code":"validation_failed","message":"x","details":{"a":1}}',
    ],
    ...['{"id":1,"petId":2,"status":"approved"}', '[{"id":9007199254740993,"petId":2}]', '{"id":1,"petId":"2"}'],
    ...['{"id":1,"name":"Dogs"}', '{"available":1,"pending":2,"sold":1.5}', '{"available":1,"pending":2,"sold":3}'],
    ...['[{"id":1,"categoryId":2,"name":"Rex","status":"sold"}]', '{"id":9007199254740993,"categoryId":2}'],
  ),
);
const answer = fc.record({
  status: fc.constantFrom(200, 201, 206, 301, 400, 401, 404, 408, 409, 410, 412, 422, 429, 500, 503, 599),
  headers: fc.dictionary(fc.constantFrom(...names), value),
  body,
});

test("for any response, a call ends with resources whose integers are exact, or with a PetstoreError", async () => {
  states("docs/proxies.md", "A response of the proxy itself has the code `unexpected_response`.");
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(answer), fc.boolean(), async (answers, waitForLimits) => {
      let now = Date.UTC(2026, 10, 21);
      const clock: Clock = {
        now: () => now,
        random: () => 0.5,
        sleep: async (ms) => {
          now += ms;
        },
      };
      const fetch = async () => {
        const { status, headers, body } = answers.next().value;
        return new Response(body, { status, headers });
      };
      const petstore = new PetstoreClient({ apiKey: "pets_live_x", fetch, clock, waitForLimits, onDeprecation() {} });
      const list = petstore.listPets().then(({ pets }) => pets);
      const calls = [
        list,
        petstore.createPet({ name: "", categoryId: 1 }),
        petstore.getPet(1),
        petstore.getPetsByIds([1]),
        petstore.usage().then(() => []),
        petstore.updatePet(1, { name: "Max" }, { ifMatch: '"v1"' }),
        petstore.updatePet(1, ({ name }) => ({ name: `${name}!` })),
        petstore.deletePet(1).then(() => []),
        petstore.inventory().then(() => []),
        petstore.categories.put(1, { name: "Dogs" }).then(({ id }) => ({ id, categoryId: id })),
        petstore.orders.approve(1).then(({ id, petId }) => ({ id, categoryId: petId })),
        petstore.orders.list().then(({ orders }) => orders.map(({ id, petId }) => ({ id, categoryId: petId }))),
      ];
      for (const result of await Promise.allSettled(calls)) {
        if (result.status === "rejected") {
          if (!(result.reason instanceof PetstoreError)) throw result.reason;
          expect(result.reason.message).toBeString();
          continue;
        }
        for (const { id, categoryId } of [result.value].flat()) {
          for (const integer of [id, categoryId])
            expect(typeof integer === "bigint" || Number.isSafeInteger(integer)).toBeTrue();
        }
      }
      expect(() => JSON.stringify(petstore.rateLimits)).not.toThrow();
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ["a pet", (petstore: PetstoreClient) => petstore.createPet({ name: "Rex", categoryId: 1 })],
  ["a category", (petstore: PetstoreClient) => petstore.categories.get(1)],
  ["an order", (petstore: PetstoreClient) => petstore.orders.place({ petId: 1 })],
] as const)("an answer that is not %s is called so", async (kind, call) => {
  const fetch = async () => Response.json({}, { status: 200 });
  const petstore = new PetstoreClient({ apiKey: "pets_live_x", fetch, maxRetries: 0 });
  await expect(call(petstore)).rejects.toThrow(`The response is not ${kind}.`);
});
