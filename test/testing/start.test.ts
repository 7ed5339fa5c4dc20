import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { startPetstore } from "../../src/testing.ts";
import { states } from "../support/markdown.ts";
import { call } from "./call.ts";

const names = (pets: { name: string }[]) => pets.map(({ name }) => name);

test("a pet store has pets, categories, orders and a key", async () => {
  states(
    "docs/test-against-it.md",
    "run your tests against the real service | Test your integration: a pet store inside your tests",
  );
  states("docs/testing.md", "`url`, `key` | The base address, and the text of a key.");
  states("docs/testing.md", "Without `pets` there are 20;");
  await using store = await startPetstore();
  expect((await call(store, "/pets?limit=100")).body).toHaveLength(20);
  expect((await call(store, "/categories")).body.length).toBeGreaterThan(3);
  expect((await call(store, "/store/orders")).body.length).toBeGreaterThan(3);
  expect((await call(store, "/usage")).body.plan).toBe("business");
});

test("a pet store without pets is empty", async () => {
  states("docs/testing.md", "with `pets: 0` the store is empty.");
  await using store = await startPetstore({ pets: 0 });
  for (const path of ["/pets", "/categories", "/store/orders"]) expect((await call(store, path)).body).toEqual([]);
  states("docs/testing.md", "the store is empty.");
});

test("the same seed gives the same pets, orders and keys, and another seed gives others", async () => {
  states(
    "docs/testing.md",
    "The same `seed` gives the same pets, orders, ids and keys, and with `now` the same dates.",
  );
  const now = "2027-01-31T12:00:00Z";
  await using one = await startPetstore({ seed: 7, pets: 50, now });
  await using same = await startPetstore({ seed: 7, pets: 50, now });
  await using other = await startPetstore({ seed: 8, pets: 50, now });
  const contents = async (store: typeof one) => [
    store.key,
    await store.createKey(),
    (await call(store, "/pets?limit=100")).body,
    (await call(store, "/store/orders?limit=100")).body,
  ];
  const [first, second, third] = [await contents(one), await contents(same), await contents(other)];
  expect(second).toEqual(first);
  for (const [i, part] of third.entries()) expect(part).not.toEqual(first[i]);
});

test("a pet store with more pets begins with the same ones", async () => {
  await using few = await startPetstore({ seed: 3, pets: 5 });
  await using many = await startPetstore({ seed: 3, pets: 30 });
  expect((await call(many, "/pets?limit=5")).body).toEqual((await call(few, "/pets")).body);
});

test("the options of the first key are those of createKey", async () => {
  states("docs/testing.md", "`createKey({ plan, limits, scopes, expiresAt })` | A further key: `{ id, key }`.");
  await using store = await startPetstore({
    plan: "enterprise",
    limits: { perMinute: 3, perDay: 5 },
    scopes: ["pets:read"],
  });
  const { status, headers } = await call(store, "/pets");
  expect([status, headers.get("RateLimit-Policy")]).toEqual([200, '"minute";q=3;w=60, "day";q=5;w=86400']);
  expect((await call(store, "/store/orders")).body.code).toBe("insufficient_scope");
  const { key, id } = await store.createKey({ plan: "free", scopes: ["orders:read"] });
  const further = await call(store, "/store/orders", { key });
  expect([further.status, further.headers.get("X-RateLimit-Limit")]).toEqual([200, "60"]);
  expect(store.requests.at(-1)?.keyId).toBe(id);
  states("docs/testing.md", "`startPetstore` takes the same options for `key`.");
});

test("20 pet stores run side by side, each with its own pets and limits", async () => {
  states(
    "docs/testing.md",
    "Pet stores do not share anything: start as many as you like side by side.",
    "starts the service in the process of the test, in memory, on a free port of 127.0.0.1:",
  );
  const stores = await Promise.all(Array.from({ length: 20 }, (_, seed) => startPetstore({ seed, pets: seed })));
  expect(new Set(stores.map(({ url }) => url)).size).toBe(20);
  const lists = await Promise.all(stores.map((store) => call(store, "/pets?limit=100")));
  expect(lists.map(({ body }) => body.length)).toEqual(stores.map((_, i) => i));
  expect(lists.map(({ headers }) => headers.get("X-RateLimit-Remaining"))).toEqual(stores.map(() => "999"));
  expect(stores.map(({ requests }) => requests.length)).toEqual(stores.map(() => 1));
  await Promise.all(stores.map((store) => store.close()));
  states("docs/testing.md", "Pet stores do not share anything: start as many as you like side by side.");
});

test("a key of another pet store is refused", async () => {
  await using one = await startPetstore({ seed: 1 });
  await using other = await startPetstore({ seed: 2 });
  expect((await call(one, "/pets", { key: other.key })).body.code).toBe("invalid_api_key");
});

test("a pet that a test creates has the next id, and any category", async () => {
  states(
    "docs/testing.md",
    "`createPet({ name, categoryId, status })` | A pet, without a request: `{ id, name, categoryId, status }`.",
  );
  await using store = await startPetstore({ pets: 3 });
  const pet = await store.createPet({ name: "Rex", categoryId: 7, status: "sold" });
  expect(pet).toEqual({ id: 4, name: "Rex", categoryId: 7, status: "sold" });
  expect((await call(store, "/pets?ids=4")).body).toEqual([pet]);
  const large = 2n ** 63n - 1n;
  expect(await store.createPet({ name: "Max", categoryId: large })).toMatchObject({ id: 5, categoryId: large });
  expect(names((await call(store, `/pets?categoryId=${large}`)).body)).toEqual(["Max"]);
  expect(store.requests).toHaveLength(2);
});

describe("invalid options are refused with a TypeError that says what is wrong:", () => {
  const invalid: [string, object][] = [
    ['Unrecognized key: "pet"', { pet: 5 }],
    ["plan: ", { plan: "gold" }],
    ["scopes.0: ", { scopes: ["pets"] }],
    ["limits are for the plan enterprise", { plan: "enterprise" }],
    ["limits are for the plan enterprise", { plan: "free", limits: { perMinute: 1, perDay: 1 } }],
    ["limits.perDay: ", { plan: "enterprise", limits: { perMinute: 1, perDay: 0 } }],
    ["expiresAt must be a Date", { expiresAt: "tomorrow" }],
  ];
  test.each([
    ...invalid,
    ["pets: ", { pets: -1 }],
    ["pets: ", { pets: 1.5 }],
    ["pets: ", { pets: 100_001 }],
    ["seed: ", { seed: 2 ** 32 }],
    ["now: must be a Date", { now: Number.NaN }],
    ["corsOrigins: must be origins", { corsOrigins: ["localhost"] }],
  ])("%s", async (problem, options) => {
    const started = startPetstore(options);
    expect(started).rejects.toThrow(problem);
    await started.catch((error) => expect(String(error)).toStartWith("TypeError: startPetstore: "));
  });

  test.each(invalid)("of a key: %s", async (problem, options) => {
    await using store = await startPetstore({ pets: 0 });
    expect(async () => store.createKey(options)).toThrow(problem);
  });

  test("of a pet", async () => {
    await using store = await startPetstore({ pets: 0 });
    expect(async () => store.createPet({ name: "", categoryId: 1 })).toThrow("createPet: name: ");
    for (const categoryId of [1.5, 2 ** 53, 2n ** 63n]) {
      expect(async () => store.createPet({ name: "Rex", categoryId })).toThrow("createPet: categoryId: ");
    }
  });
});

test("a port that is in use is refused, and nothing stays open", async () => {
  await using store = await startPetstore({ pets: 0 });
  const { port } = new URL(store.url);
  expect(startPetstore({ port: Number(port) })).rejects.toThrow(port);
});

test("any seed and number of pets start", async () => {
  const seeds = fc.integer({ min: 0, max: 2 ** 32 - 1 });
  await fc.assert(
    fc.asyncProperty(seeds, fc.nat({ max: 300 }), async (seed, pets) => {
      await using store = await startPetstore({ seed, pets });
      const { body } = await call(store, "/store/inventory");
      expect(body.available + body.pending + body.sold).toBe(pets);
      expect(store.key).toMatch(/^pets_stag_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$/);
    }),
    { numRuns: 10 },
  );
});
