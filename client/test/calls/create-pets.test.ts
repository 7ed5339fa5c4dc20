import { expect, test } from "bun:test";
import { states } from "../../../test/support/markdown.ts";
import { useService } from "../../../test/support/use-service.ts";
import type { Creation, NewPet } from "../../src/main.ts";
import { clockOf, petstoreOf, recorder } from "../support/petstore.ts";

const service = useService();

const some = (count: number): NewPet[] =>
  Array.from({ length: count }, (_, index) => ({ name: `Many ${index}`, categoryId: index }));

async function all(creations: AsyncIterable<Creation>): Promise<Creation[]> {
  const results: Creation[] = [];
  for await (const result of creations) results.push(result);
  return results.sort((a, b) => a.index - b.index);
}

/** How many pets a request is for. */
const sizeOf = ({ url, body }: { url: string; body: string }): number =>
  url.endsWith("/batch") ? JSON.parse(body).pets.length : 1;

/** A `fetch` that counts how many requests are under way at most. */
function counter() {
  const counts = { now: 0, most: 0 };
  const counted = async (url: string, init: RequestInit) => {
    counts.now += 1;
    counts.most = Math.max(counts.most, counts.now);
    const response = await fetch(url, init);
    counts.now -= 1;
    return response;
  };
  return { fetch: counted, counts };
}

test("the pets of an array are added 100 at a time with their own idempotency keys, and each result has its position and its pet", async () => {
  states("client/README.md", "Those of an array are sent up to 100 in a request, as a batch,");
  const { fetch, requests } = recorder();
  const petstore = await petstoreOf(service, { fetch });
  const pets = some(250);
  const results = await all(petstore.createPets(pets));
  expect(results.map(({ index, newPet, pet }) => [index, newPet, pet?.name, pet?.categoryId])).toEqual(
    pets.map((pet, index) => [index, pet, pet.name, pet.categoryId]),
  );
  // The limits are known after the first.
  expect(requests.map(sizeOf)).toEqual([1, 100, 100, 49]);
  expect(new Set(requests.map(({ headers }) => headers["idempotency-key"])).size).toBe(4);
});

test("the pets of another iterable are added one by one, as they come", async () => {
  states(
    "client/README.md",
    "`createPets` adds pets from an array, or from any iterable or async iterable, such as the lines of a file.",
  );
  const { fetch, requests } = recorder();
  const petstore = await petstoreOf(service, { fetch });
  await all(petstore.createPets(some(50).values()));
  expect(new Set(requests.map(({ headers }) => headers["idempotency-key"])).size).toBe(50);
  states("client/README.md", "Other pets, and those whose idempotency keys you choose, have a request each.");
});

test.each([
  ["minute", { perMinute: 40, perDay: 1_000 }],
  ["day", { perMinute: 1_000, perDay: 40 }],
])("a batch has no more pets than the limit per %s, and waits until it fits, without a refusal", async (_, limits) => {
  const { fetch, requests, statuses } = recorder();
  const { secret: apiKey } = await service.createKey({ limits });
  const petstore = await petstoreOf(service, { fetch, apiKey, clock: clockOf(service), budget: Infinity });
  const results = await all(petstore.createPets(some(101)));
  expect(results.filter(({ pet }) => pet === undefined)).toEqual([]);
  expect(requests.map(sizeOf)).toEqual([1, 40, 40, 20]);
  expect(new Set(statuses)).toEqual(new Set([201]));
});

test("as many creations as `concurrency` are under way, and the input is read no further ahead", async () => {
  states("client/README.md", "`concurrency`, `onProgress` | For `createPets`.");
  const { fetch, counts } = counter();
  const petstore = await petstoreOf(service, { fetch });
  await petstore.listPets();
  for (const [concurrency, most] of [
    [undefined, 10],
    [1, 1],
    [4, 4],
  ] as const) {
    counts.most = 0;
    let read = 0;
    let done = 0;
    async function* source() {
      for (const pet of some(15)) {
        expect(read - done).toBeLessThan(most);
        read += 1;
        yield pet;
      }
    }
    for await (const { pet } of petstore.createPets(source(), { concurrency })) done += pet === undefined ? 0 : 1;
    expect([done, counts.most]).toEqual([15, most]);
  }
  states(
    "client/README.md",
    "Up to `concurrency` requests are under way at a time (10 by default), and the input is read no further ahead.",
  );
});

test("results come in the order in which the creations complete", async () => {
  states("client/README.md", "Results come in the order in which they complete;");
  const other = Promise.withResolvers<void>();
  const petstore = await petstoreOf(service, {
    fetch: async (url, init) => {
      if (String(init.body).includes("Slow")) await other.promise;
      return fetch(url, init);
    },
  });
  // Until the first response the limits are not known, and nothing is sent beside it.
  await petstore.listPets({ limit: 1 });
  const order: number[] = [];
  for await (const { index } of petstore.createPets(
    new Set(["Slow", "Fast"].map((name) => ({ name, categoryId: 1 }))),
  )) {
    order.push(index);
    other.resolve();
  }
  expect(order).toEqual([1, 0]);
});

test("a failure is a result, and does not end the others", async () => {
  states("client/README.md", "if the content of one is refused, each is sent alone.");
  const petstore = await petstoreOf(service);
  const pets = some(10).map((pet, index) => (index % 3 === 0 ? { ...pet, name: " " } : pet));
  const seen: unknown[] = [];
  const results = await all(petstore.createPets(pets, { onProgress: (progress) => seen.push(progress) }));
  expect(results.flatMap(({ index, pet }) => (pet === undefined ? [index] : []))).toEqual([0, 3, 6, 9]);
  expect(results[3]?.error).toMatchObject({ code: "validation_failed" });
  expect(seen).toHaveLength(10);
  expect(seen.at(-1)).toEqual({ created: 6, failed: 4 });
  // Each is what it was when the program got it.
  const counts = seen as { created: number; failed: number }[];
  expect(counts.map(({ created, failed }) => created + failed)).toEqual(Array.from({ length: 10 }, (_, i) => i + 1));
  states(
    "client/README.md",
    "A failure is a result, and does not end the others:",
    "`index` is the position in the input.",
  );
});

test.each<[string, Partial<NewPet>, object]>([
  ["is invalid", { name: "" }, { status: 400 }],
  ["is too large", { name: "x".repeat(300_000) }, { status: 413 }],
  ["has a number that is no exact integer", { categoryId: 2 ** 60 }, { name: "RangeError" }],
])("of pets in one request, only the one that %s is refused", async (_, fields, error) => {
  const petstore = await petstoreOf(service);
  // The limits are known after the first: the others have a request in common.
  const results = await all(petstore.createPets(some(10).map((pet, i) => (i === 5 ? { ...pet, ...fields } : pet))));
  expect(results.flatMap(({ index, pet }) => (pet === undefined ? [index] : []))).toEqual([5]);
  expect(results[5]?.error).toMatchObject(error);
});

test("an error of the input is thrown after the results so far", async () => {
  const petstore = await petstoreOf(service);
  async function* source() {
    yield* some(3);
    throw new Error("line 4 is not CSV");
  }
  const names: unknown[] = [];
  const run = async () => {
    for await (const { pet } of petstore.createPets(source())) names.push(pet?.name);
  };
  await expect(run()).rejects.toThrow("line 4 is not CSV");
  expect(names.sort()).toEqual(["Many 0", "Many 1", "Many 2"]);
});

test("aborting ends an endless input with the signal's reason; each creation under way has its result", async () => {
  const petstore = await petstoreOf(service);
  const controller = new AbortController();
  const reason = new Error("enough");
  let read = 0;
  function* endless() {
    for (;;) yield { name: `Endless ${read++}`, categoryId: 1 };
  }
  let results = 0;
  const run = async () => {
    for await (const { index } of petstore.createPets(endless(), { signal: controller.signal })) {
      results += 1;
      if (index === 5) controller.abort(reason);
    }
  };
  await expect(run()).rejects.toBe(reason);
  // The pet that was read last was not sent.
  expect(results).toBe(read - 1);
  states(
    "client/README.md",
    "If the input fails or the signal aborts, you get the results of the creations under way, then the error.",
  );
});

test("breaking out reads no further pets, and closes the input", async () => {
  const petstore = await petstoreOf(service);
  let isClosed = false;
  async function* source() {
    try {
      yield* some(100);
    } finally {
      isClosed = true;
    }
  }
  for await (const { index } of petstore.createPets(source(), { concurrency: 2 })) if (index >= 0) break;
  expect(isClosed).toBeTrue();
});

test("with chosen idempotency keys a repeated run adds nothing", async () => {
  states(
    "client/README.md",
    "For `createPet`, `createPets`, `categories.create` and `orders.place`: the idempotency key.",
  );
  states(
    "client/README.md",
    "With `idempotencyKey` you choose the keys, as above: a program that restarts within 24 hours adds no pet twice.",
  );
  const petstore = await petstoreOf(service);
  const idempotencyKey = ({ name }: NewPet, index: number) => `import-7-${index}-${name}`;
  const first = await all(petstore.createPets(some(5), { idempotencyKey }));
  const again = await all(petstore.createPets(some(5), { idempotencyKey }));
  expect(again).toEqual(first);
  const [invalid] = await all(petstore.createPets(some(1), { idempotencyKey: () => "" }));
  expect(invalid?.error).toBeInstanceOf(RangeError);
});

test.each([0, -1, Number.NaN])("concurrency %d is refused", async (concurrency) => {
  const petstore = await petstoreOf(service);
  await expect(petstore.createPets(some(1), { concurrency }).next()).rejects.toThrow(RangeError);
});
