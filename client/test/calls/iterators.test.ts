import { beforeAll, expect, test } from "bun:test";
import { states } from "../../../test/support/markdown.ts";
import { useService } from "../../../test/support/use-service.ts";
import type { PetstoreClient } from "../../src/main.ts";
import { petstoreOf, recorder } from "../support/petstore.ts";

const service = useService();
const { fetch, requests } = recorder();
let petstore: PetstoreClient;
beforeAll(async () => {
  petstore = await petstoreOf(service, { fetch, apiKey: (await service.createKey({ plan: "business" })).secret });
  const pets = Array.from({ length: 5 }, (_, i) => ({ name: `Pet ${i}`, categoryId: 1 }));
  for (const { id } of (await petstore.createPets(pets).toArray({ max: 5 })).flatMap(({ pet = [] }) => pet))
    await petstore.orders.place({ petId: id });
  for (const name of ["Dogs", "Cats"]) await petstore.categories.create({ name });
});

test.each([
  [1, 1, 1],
  [2, 2, 1],
  [3, 3, 2],
  [5, 5, 3],
  [1_000, 5, 3],
  [Number.POSITIVE_INFINITY, 5, 3],
])("toArray({ max: %d }) returns %d pets with %d requests", async (max, found, pages) => {
  states(
    "client/README.md",
    "`max` bounds the memory that the array takes; `Infinity` reads to the end. `limit` is still the size of a page.",
  );
  requests.length = 0;
  const pets = await petstore.pets({ limit: 2 }).toArray({ max });
  expect(pets.map(({ id }) => id)).toEqual(Array.from({ length: found }, (_, i) => i + 1));
  expect(requests).toHaveLength(pages);
});

test("each iterator has toArray", async () => {
  expect((await petstore.pages({ limit: 2 }).toArray({ max: 2 })).map(({ pets }) => pets.length)).toEqual([2, 2]);
  expect(await petstore.categories.all().toArray({ max: 9 })).toMatchObject([{ name: "Dogs" }, { name: "Cats" }]);
  expect(await petstore.categories.pages({ limit: 1 }).toArray({ max: 1 })).toHaveLength(1);
  expect(await petstore.orders.all().toArray({ max: 3 })).toMatchObject([{ petId: 1 }, { petId: 2 }, { petId: 3 }]);
  expect(await petstore.orders.pages({ limit: 1 }).toArray({ max: 2 })).toHaveLength(2);
  // The feed has no end: the array ends it.
  expect(await petstore.events({ types: ["order.placed"] }).toArray({ max: 5 })).toHaveLength(5);
  states(
    "client/README.md",
    "All iterators of the client have `toArray`, which returns the next items as an array, at most `max`:",
  );
});

test("toArray continues an iteration, and ends it", async () => {
  const pets = petstore.pets();
  expect((await pets.next()).value).toMatchObject({ id: 1 });
  expect(await pets.toArray({ max: 2 })).toMatchObject([{ id: 2 }, { id: 3 }]);
  expect(await pets.next()).toEqual({ done: true, value: undefined });
});

test.each([0, -1, Number.NaN])("toArray({ max: %d }) is refused, and reads nothing", async (max) => {
  requests.length = 0;
  await expect(petstore.pets().toArray({ max })).rejects.toThrow(RangeError);
  expect(requests).toEqual([]);
});
