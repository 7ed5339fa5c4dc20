import { describe, expect, test } from "bun:test";
import { states } from "../../../test/support/markdown.ts";
import { useService } from "../../../test/support/use-service.ts";
import { ConflictError, PreconditionError } from "../../src/main.ts";
import { lossy } from "../support/losses.ts";
import { petstoreOf, recorder } from "../support/petstore.ts";

const LARGEST = 9223372036854775807n;

const service = useService();
const clock = { now: () => performance.now(), random: Math.random, sleep: () => Bun.sleep(1) };

test("a category is created, read, renamed and removed", async () => {
  states("client/README.md", "`petstore.categories` has `create`, `get`, `list`, `pages`, `all`, `put` and `delete`.");
  const { categories } = await petstoreOf(service);
  const dogs = await categories.create({ name: "Dogs" });
  expect(dogs).toEqual({ id: dogs.id, name: "Dogs" });
  expect(await categories.get(dogs.id)).toEqual(dogs);
  expect(await categories.put(dogs.id, { name: "Hounds" })).toEqual({ id: dogs.id, name: "Hounds" });
  const { data, response } = await categories.delete(dogs.id).withResponse();
  expect([data, response.status]).toEqual([undefined, 204]);
  const gone = { name: "NotFoundError", code: "category_not_found", status: 404 };
  await expect(categories.get(dogs.id)).rejects.toMatchObject(gone);
  await expect(categories.delete(dogs.id)).rejects.toMatchObject(gone);
  states("client/README.md", "`put` creates a category under an id of your choice, or renames it:");
});

test("a creation that is repeated with its idempotency key happens once", async () => {
  states("client/README.md", "pass a key that stays the same, such as an order number.");
  const { categories } = await petstoreOf(service);
  const options = { idempotencyKey: "birds" };
  const birds = await categories.create({ name: "Birds" }, options);
  expect(await categories.create({ name: "Birds" }, options)).toEqual(birds);
  await expect(categories.create({ name: "Owls" }, options)).rejects.toMatchObject({ code: "idempotency_key_reused" });
});

test.each([0, -1, 2 ** 53 - 1, 9007199254740993n, LARGEST, -LARGEST - 1n])("the id %p is exact", async (id) => {
  const mixed = await petstoreOf(service);
  const name = `Number ${id}`;
  const { data, response } = await mixed.categories.put(id, { name }).withResponse();
  expect([data, response.status]).toEqual([{ id, name }, 201]);
  expect(await mixed.categories.get(id)).toEqual(data);
  expect((await mixed.categories.list({ ids: [id] })).categories).toEqual([data]);
  const bigints = await petstoreOf(service, { integers: "bigint" });
  const same: { id: bigint; name: string } = await bigints.categories.get(id);
  expect(same).toEqual({ id: BigInt(id), name });
  await mixed.categories.delete(id);
});

test("an inexact id sends nothing", async () => {
  const { fetch, requests } = recorder();
  const { categories } = await petstoreOf(service, { fetch });
  await expect(categories.get(2 ** 60)).rejects.toThrow(RangeError);
  await expect(categories.put(2 ** 60, { name: "Dogs" })).rejects.toThrow(RangeError);
  await expect(categories.delete(1.5)).rejects.toThrow(RangeError);
  await expect(categories.list({ after: 2 ** 60 })).rejects.toThrow(RangeError);
  expect(requests).toEqual([]);
});

test("all categories are iterated over, in pages of any size, from the smallest id on", async () => {
  states("client/README.md", "`all`, `pages` and `list` are like `pets`, `pages` and `listPets` for pets.");
  const { categories } = await petstoreOf(service);
  const ids = [-LARGEST, -5, 3_000_001, 3_000_002, LARGEST];
  for (const id of ids) await categories.put(id, { name: `Page ${id}` });
  for (const limit of [undefined, 1, 2, 100]) {
    const found = [];
    for await (const { id, name } of categories.all({ limit })) if (name.startsWith("Page")) found.push(id);
    expect(found).toEqual(ids);
  }
  const sizes = [];
  for await (const page of categories.pages({ ids, limit: 2 })) sizes.push(page.categories.length);
  expect(sizes).toEqual([2, 2, 1]);
  const first = await categories.list({ ids, limit: 1 });
  expect(first.next).toEqual({ ids: ids.slice(1), limit: 1, after: -LARGEST });
  expect((await categories.list({ name: "PAGE -5" })).categories).toEqual([{ id: -5, name: "Page -5" }]);
});

test("the name of another category, and a category that pets have, are conflicts", async () => {
  const petstore = await petstoreOf(service);
  const { categories } = petstore;
  const cats = await categories.create({ name: "Cats" });
  const taken = { name: "ConflictError", code: "category_exists", status: 409 };
  await expect(categories.create({ name: "CATS" })).rejects.toMatchObject(taken);
  await expect(categories.put(4711, { name: "cats" })).rejects.toMatchObject(taken);
  const mia = await petstore.createPet({ name: "Mia", categoryId: cats.id });
  const inUse = categories.delete(cats.id);
  await expect(inUse).rejects.toBeInstanceOf(ConflictError);
  await expect(inUse).rejects.toMatchObject({ code: "category_in_use" });
  await petstore.deletePet(mia.id);
  await categories.delete(cats.id);
});

test("ifMatch renames and removes only the state that was seen", async () => {
  states("client/README.md", "`put` and `delete` take `ifMatch`.");
  const { categories } = await petstoreOf(service);
  const { data, response } = await categories.create({ name: "Seen" }).withResponse();
  const ifMatch = response.headers.get("ETag");
  await categories.put(data.id, { name: "Renamed" }, { ifMatch });
  await expect(categories.put(data.id, { name: "Again" }, { ifMatch })).rejects.toBeInstanceOf(PreconditionError);
  await expect(categories.delete(data.id, { ifMatch })).rejects.toBeInstanceOf(PreconditionError);
  await expect(categories.put(4712, { name: "New" }, { ifMatch: "*" })).rejects.toBeInstanceOf(PreconditionError);
  await categories.delete(data.id, { ifMatch: "*" });
});

describe.each(["request", "response", "refusal"] as const)("when the %s is lost", (loss) => {
  const losing = async () => {
    const { fetch, seen } = lossy(loss);
    const [direct, lossyClient] = [await petstoreOf(service), await petstoreOf(service, { fetch, clock })];
    return { direct: direct.categories, categories: lossyClient.categories, seen };
  };

  test("a category is created once", async () => {
    states(
      "client/README.md",
      "`createPet`, `createPets`, `categories.create`, `orders.place` | It has the same `Idempotency-Key`: it happens once, and you get what was created first.",
    );
    const { direct, categories } = await losing();
    const created = await categories.create({ name: `Once ${loss}` });
    expect((await direct.list({ name: `Once ${loss}` })).categories).toEqual([created]);
  });

  test("a category is put, renamed with If-Match, and removed", async () => {
    const first = await losing();
    const { data, response } = await first.categories.put(880_000, { name: `Put ${loss}` }).withResponse();
    expect(response.status).toBe(loss === "response" ? 200 : 201);
    const second = await losing();
    const ifMatch = response.headers.get("ETag");
    expect(await second.categories.put(data.id, { name: `Renamed ${loss}` }, { ifMatch })).toEqual({
      id: data.id,
      name: `Renamed ${loss}`,
    });
    const third = await losing();
    await third.categories.delete(data.id);
    expect(third.seen.changes).toBe(2);
    expect((await third.direct.list({ ids: [data.id] })).categories).toEqual([]);
  });
});
