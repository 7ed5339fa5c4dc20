import { describe, expect, test } from "bun:test";
import { states } from "../../../test/support/markdown.ts";
import { useService } from "../../../test/support/use-service.ts";
import {
  type ChangeOptions,
  NotFoundError,
  type PetPatch,
  PreconditionError,
  type RetryEvent,
} from "../../src/main.ts";
import { petstoreOf, recorder } from "../support/petstore.ts";

const REX = { name: "Rex", categoryId: 1 };
const LARGEST = 9223372036854775807n;

const service = useService();

/** A client that waits for nothing, with a pet of its own. */
async function withPet(options: Parameters<typeof petstoreOf>[1] = {}) {
  const clock = { now: () => performance.now(), random: Math.random, sleep: () => Bun.sleep(1) };
  const petstore = await petstoreOf(service, { clock, ...options });
  const pet = await petstore.createPet(REX);
  const current = async () => (await petstore.getPetsByIds([pet.id]))[0];
  return { petstore, id: pet.id, current };
}

describe("updatePet with a patch", () => {
  test("changes the fields that it names, exactly, and returns the pet", async () => {
    states("client/README.md", "`updatePet` changes the fields of a patch, and leaves the others as they are.");
    const { petstore, id, current } = await withPet();
    const changed = await petstore.updatePet(id, { categoryId: LARGEST, status: "sold" });
    expect(changed).toEqual({ id, name: "Rex", categoryId: LARGEST, status: "sold" });
    expect(await current()).toEqual(changed);
    expect(await petstore.updatePet(BigInt(id), {})).toEqual(changed);
    const bigints = await petstoreOf(service, { integers: "bigint" });
    expect(await bigints.updatePet(id, { name: "Max" })).toEqual({
      ...changed,
      id: BigInt(id),
      categoryId: LARGEST,
      name: "Max",
    });
    states("client/README.md", "changes the fields of a patch, and leaves the others as they are.");
  });

  test("and ifMatch changes only the state that was seen", async () => {
    states(
      "client/README.md",
      "The responses to a creation, a change, a read of one resource and a list of one id have it.",
    );
    states(
      "client/README.md",
      "`ifMatch` | For changes and removals: the ETag that the resource must still have, or `*`.",
      "If a change depends on the pet, pass a function.",
    );
    states(
      "client/README.md",
      "To change only a state that you have seen before, such as the one that a user edits, pass its ETag as `ifMatch`.",
      "If the pet has changed since, the call rejects with a `PreconditionError`, and changes nothing:",
      "`PreconditionError` | 412 | The resource has changed since it was read.",
    );
    const { petstore, id } = await withPet();
    const { response } = await petstore.listPets({ ids: [id] }).withResponse();
    const ifMatch = response.headers.get("ETag");
    const changed = await petstore.updatePet(id, { name: "Max" }, { ifMatch }).withResponse();
    expect(changed.data.name).toBe("Max");
    const stale = petstore.updatePet(id, { name: "Bo" }, { ifMatch });
    await expect(stale).rejects.toBeInstanceOf(PreconditionError);
    await expect(stale).rejects.toMatchObject({ code: "precondition_failed", status: 412 });
    await petstore.updatePet(id, { name: "Bo" }, { ifMatch: changed.response.headers.get("ETag") });
    expect((await petstore.updatePet(id, { status: "sold" }, { ifMatch: "*" })).name).toBe("Bo");
    states("client/README.md", "the call rejects with a `PreconditionError`, and changes nothing:");
  });

  test("and an ETag that is missing, or an inexact integer, sends nothing", async () => {
    const { fetch, requests } = recorder();
    const { petstore, id } = await withPet({ fetch });
    requests.length = 0;
    const without: ChangeOptions[] = [{ ifMatch: null }, { ifMatch: "" }];
    for (const options of without) {
      await expect(petstore.updatePet(id, { name: "Max" }, options)).rejects.toThrow(RangeError);
      await expect(petstore.deletePet(id, options)).rejects.toThrow(RangeError);
    }
    await expect(petstore.updatePet(2 ** 60, { name: "Max" })).rejects.toThrow(RangeError);
    await expect(petstore.updatePet(id, { categoryId: 2 ** 60 })).rejects.toThrow(RangeError);
    await expect(petstore.deletePet(1.5)).rejects.toThrow(RangeError);
    expect(requests).toEqual([]);
  });
});

describe("updatePet with a function", () => {
  test("reads the pet, not by the deprecated operation, and changes that state of it", async () => {
    states("client/README.md", "`updatePet` reads the pet, gives it to the function, and changes that state only.");
    const { fetch, requests } = recorder();
    const { petstore, id } = await withPet({ fetch });
    requests.length = 0;
    const changed = await petstore
      .updatePet(id, async ({ name, status }) => ({ name: `${name} the ${status}` }))
      .withResponse();
    expect(changed.data).toMatchObject({ id, name: "Rex the available" });
    expect(requests.map(({ url, headers }) => [url.replace(service.url, ""), headers["if-match"]])).toEqual([
      [`/v1/pets?ids=${id}`, undefined],
      [`/v1/pets/${id}`, expect.stringMatching(/^"/)],
    ]);
    expect(changed.response.headers.get("ETag")).not.toBe(requests[1]?.headers["if-match"] ?? "");
    states("client/README.md", "If a method makes several requests, it is the response to the last one:");
  });

  test("loses no change of others: 20 concurrent updates of one pet are all there", async () => {
    states("docs/test-against-it.md", "does not overwrite what another program changed: `If-Match`");
    states("client/README.md", "no change of another client is lost.");
    states("docs/changing-pets.md", "The client does so by itself.");
    const { petstore, id, current } = await withPet({ maxRetries: 1_000 });
    const letters = [..."abcdefghijklmnopqrst"];
    await Promise.all(letters.map((letter) => petstore.updatePet(id, ({ name }) => ({ name: name + letter }))));
    expect([...((await current())?.name ?? "").slice("Rex".length)].sort()).toEqual(letters);
  });

  test("reads again after a change by others, with an event, and gives up after maxRetries", async () => {
    states(
      "client/README.md",
      "If another client has changed the pet meanwhile, it reads again and calls the function again, up to `maxRetries` times:",
    );
    states(
      "docs/testing.md",
      '| Somebody else changed the pet | `fail.next("precondition_failed")` | Reads it again, and decides again.',
    );
    const events: RetryEvent[] = [];
    const { petstore, id, current } = await withPet({ onRetry: (event) => events.push(event) });
    const seen: string[] = [];
    const disturbed =
      (times: number) =>
      async (pet: { name: string }): Promise<PetPatch> => {
        seen.push(pet.name);
        if (seen.length <= times) await petstore.updatePet(id, { name: `Rex ${seen.length}` });
        return { status: "sold" };
      };
    expect(await petstore.updatePet(id, disturbed(2))).toMatchObject({ name: "Rex 2", status: "sold" });
    expect(seen).toEqual(["Rex", "Rex 1", "Rex 2"]);
    expect(events.map(({ operation, retry, error }) => [operation, retry, error.code])).toEqual([
      ["updatePet", 1, "precondition_failed"],
      ["updatePet", 2, "precondition_failed"],
    ]);
    seen.length = 0;
    await petstore.updatePet(id, { status: "available" });
    const hopeless = petstore.updatePet(id, disturbed(Number.POSITIVE_INFINITY), { maxRetries: 3 });
    await expect(hopeless).rejects.toBeInstanceOf(PreconditionError);
    expect(seen).toHaveLength(4);
    expect((await current())?.status).toBe("available");
    states(
      "client/README.md",
      "If another client has changed the pet meanwhile, it reads again and calls the function again, up to `maxRetries` times",
    );
  });

  test("rejects with what the function throws, and without a pet, and sends no change", async () => {
    const { fetch, requests } = recorder();
    const { petstore, id } = await withPet({ fetch });
    requests.length = 0;
    const reason = new Error("not for sale");
    const refused = petstore.updatePet(id, () => {
      throw reason;
    });
    await expect(refused).rejects.toBe(reason);
    const missing = petstore.updatePet(987654321, () => ({ status: "sold" }));
    await expect(missing).rejects.toBeInstanceOf(NotFoundError);
    await expect(missing).rejects.toMatchObject({ code: "pet_not_found", status: 404 });
    expect(requests.map(({ url }) => new URL(url).pathname)).toEqual(["/v1/pets", "/v1/pets"]);
    states("client/README.md", "The promise rejects with what the function throws.");
  });

  test.each(["removed", "emptied"])("sends no change when a proxy has %s the ETag", async (change) => {
    const { id, petstore } = await withPet();
    const bare = await petstoreOf(service, {
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        if (change === "removed") response.headers.delete("ETag");
        else response.headers.set("ETag", "");
        return response;
      },
    });
    await expect(bare.updatePet(id, () => ({ status: "sold" }))).rejects.toThrow("The response has no ETag.");
    expect(await petstore.getPetsByIds([id])).toMatchObject([{ status: "available" }]);
  });
});

describe("deletePet", () => {
  test("removes the pet", async () => {
    states("client/README.md", "`deletePet` removes a pet for good:");
    const { petstore, id, current } = await withPet();
    const { data, response } = await petstore.deletePet(id).withResponse();
    expect([data, response.status]).toEqual([undefined, 204]);
    expect(await current()).toBeUndefined();
    await expect(petstore.deletePet(id)).rejects.toMatchObject({ name: "NotFoundError", code: "pet_not_found" });
    states("client/README.md", "counts as removed. Without a lost response it is a `NotFoundError`.");
  });

  test("with ifMatch removes only the state that was seen", async () => {
    const { petstore, id, current } = await withPet();
    const { response } = await petstore.listPets({ ids: [id] }).withResponse();
    await petstore.updatePet(id, { name: "Max" });
    const stale = petstore.deletePet(id, { ifMatch: response.headers.get("ETag") });
    await expect(stale).rejects.toBeInstanceOf(PreconditionError);
    expect((await current())?.name).toBe("Max");
  });
});
