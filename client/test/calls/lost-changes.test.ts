import { describe, expect, test } from "bun:test";
import { states } from "../../../test/support/markdown.ts";
import { useService } from "../../../test/support/use-service.ts";
import {
  ConflictError,
  ConnectionError,
  type Int64,
  NotFoundError,
  type PetstoreClient,
  PreconditionError,
} from "../../src/main.ts";
import { type Loss, lossy } from "../support/losses.ts";
import { petstoreOf } from "../support/petstore.ts";
import { UnsteadyLine } from "../support/unsteady-line.ts";

const LOSSES: Loss[] = ["request", "response", "refusal"];

const service = useService();
const clock = { now: () => performance.now(), random: Math.random, sleep: () => Bun.sleep(1) };

/** A pet and its ETag, and a client that loses its first change, with others that change it in the meantime. */
async function losing(loss: Loss | readonly Loss[], meanwhile?: (direct: PetstoreClient, id: Int64) => unknown) {
  const direct = await petstoreOf(service);
  const { data, response } = await direct.createPet({ name: "Rex", categoryId: 1 }).withResponse();
  const { fetch, seen } = lossy(loss, () => meanwhile?.(direct, data.id));
  const petstore = await petstoreOf(service, { fetch, clock });
  const current = async () => (await direct.getPetsByIds([data.id]))[0];
  return { direct, petstore, id: data.id, ifMatch: response.headers.get("ETag"), current, seen };
}

describe("a PATCH with If-Match", () => {
  test.each(LOSSES)("is made once when its %s is lost", async (loss) => {
    states(
      "client/README.md",
      "If a request gets no response, or a 5xx, the service may have made the change. The client repeats it, and finds out:",
      "`updatePet`, `orders.update`, `categories.put` | A 409 or 412 may be due to the request that was lost: the client reads the resource. If the resource has all fields that you sent, you get it as it is now;",
    );
    const { petstore, id, ifMatch, current, seen } = await losing(loss);
    const { data, response } = await petstore.updatePet(id, { name: "Max" }, { ifMatch }).withResponse();
    expect(data).toEqual({ id, name: "Max", categoryId: 1, status: "available" });
    expect([await current(), seen.changes]).toEqual([data, 2]);
    // The ETag is that of the change: the next one may use it.
    await petstore.updatePet(id, { name: "Bo" }, { ifMatch: response.headers.get("ETag") });
  });

  test("that was made is returned with what others changed since", async () => {
    const { petstore, id, ifMatch } = await losing("response", (others, pet) =>
      others.updatePet(pet, { status: "sold" }),
    );
    expect(await petstore.updatePet(id, { name: "Max" }, { ifMatch })).toMatchObject({ name: "Max", status: "sold" });
    states(
      "client/README.md",
      "If the resource has all fields that you sent, you get it as it is now; otherwise you get the `ConflictError` or `PreconditionError`.",
    );
  });

  test("that did not arrive before a change by others is refused", async () => {
    const { petstore, id, ifMatch, current } = await losing("request", (others, pet) =>
      others.updatePet(pet, { name: "Bo" }),
    );
    const refused = petstore.updatePet(id, { status: "sold" }, { ifMatch });
    await expect(refused).rejects.toBeInstanceOf(PreconditionError);
    expect(await current()).toMatchObject({ name: "Bo", status: "available" });
  });

  test("that did not arrive counts as made when others have made the same change", async () => {
    states(
      "client/README.md",
      "Two cases cannot be distinguished, because a resource does not show who has changed it:",
      "If exactly one of several programs must succeed, let them place an order.",
    );
    const { petstore, id, ifMatch, seen } = await losing("request", (others, pet) =>
      others.updatePet(pet, { status: "sold" }),
    );
    expect((await petstore.updatePet(id, { status: "sold" }, { ifMatch })).status).toBe("sold");
    expect(seen.changes).toBe(2);
    states(
      "client/README.md",
      "Your request was lost, and another client has made the same change: the call resolves.",
    );
  });

  test("that did not arrive is refused when others have made a part of it", async () => {
    const { petstore, id, ifMatch } = await losing("request", (others, pet) => others.updatePet(pet, { name: "Max" }));
    const refused = petstore.updatePet(id, { name: "Max", status: "sold" }, { ifMatch });
    await expect(refused).rejects.toBeInstanceOf(PreconditionError);
  });

  test("that a limit refused was not made, even when others have made the same change", async () => {
    const { petstore, id, ifMatch } = await losing("limit", (others, pet) => others.updatePet(pet, { name: "Max" }));
    await expect(petstore.updatePet(id, { name: "Max" }, { ifMatch })).rejects.toBeInstanceOf(PreconditionError);
  });

  test("of nothing is refused when the pet has changed", async () => {
    const { petstore, id, ifMatch } = await losing("request", (others, pet) => others.updatePet(pet, { name: "Bo" }));
    await expect(petstore.updatePet(id, {}, { ifMatch })).rejects.toBeInstanceOf(PreconditionError);
  });

  test("is refused without a read when no response was lost", async () => {
    const { direct, id, ifMatch } = await losing("request");
    await direct.updatePet(id, { name: "Max" }, { ifMatch });
    const stale = direct.updatePet(id, { name: "Max" }, { ifMatch });
    await expect(stale).rejects.toBeInstanceOf(PreconditionError);
  });

  test("without retries is a ConnectionError, whether it was made or not", async () => {
    states("client/README.md", "With `maxRetries: 0` the client repeats nothing.");
    states(
      "client/README.md",
      "If that is a `ConnectionError` or a `ServiceError`, the change may have been made: read the resource to find out. With `maxRetries: 0` the client repeats nothing.",
    );
    const { petstore, id, ifMatch, current } = await losing("response");
    const unknown = petstore.updatePet(id, { name: "Max" }, { ifMatch, maxRetries: 0 });
    await expect(unknown).rejects.toBeInstanceOf(ConnectionError);
    expect((await current())?.name).toBe("Max");
    states(
      "client/README.md",
      "If that is a `ConnectionError` or a `ServiceError`, the change may have been made: read the resource to find out.",
      "With `maxRetries: 0` the client repeats nothing.",
    );
  });
});

describe("a PATCH by a function", () => {
  test("is decided once when its response is lost", async () => {
    const { petstore, id, seen } = await losing("response");
    const decided: string[] = [];
    const changed = await petstore.updatePet(id, ({ name }) => {
      decided.push(name);
      return { name: `${name}!` };
    });
    expect([changed.name, decided, seen.changes]).toEqual(["Rex!", ["Rex"], 2]);
  });

  test("is decided again on the change of others when its request is lost", async () => {
    states(
      "client/README.md",
      "or the function gets a pet that has its change already. A function that sets values, and adds nothing to them, is right in this case too.",
    );
    const { petstore, id } = await losing("request", (others, pet) => others.updatePet(pet, { name: "Bo" }));
    expect((await petstore.updatePet(id, ({ name }) => ({ name: `${name}!` }))).name).toBe("Bo!");
    states(
      "client/README.md",
      "but instead of a `PreconditionError`, the function is called again with the pet as it is now.",
    );
  });
});

test("a PATCH by a function that is decided again was not made before, even when others have made the same", async () => {
  const { direct, petstore, id } = await losing("request", (others, pet) => others.updatePet(pet, { name: "Bo" }));
  const decided: string[] = [];
  const changed = await petstore.updatePet(id, async ({ name }) => {
    decided.push(name);
    if (decided.length === 2) await direct.updatePet(id, { name: "Bo!" });
    return { name: `${name}!` };
  });
  expect([changed.name, decided]).toEqual(["Bo!!", ["Rex", "Bo", "Bo!"]]);
});

test.each(LOSSES)("a PATCH without If-Match is made when its %s is lost", async (loss) => {
  states(
    "client/README.md",
    "Without `ifMatch`, the last change wins.",
    "Without `ifMatch`, a repeated change or removal also replaces what another client has made of the resource in the meantime.",
  );
  const { petstore, id, current } = await losing(loss);
  await petstore.updatePet(id, { name: "Max", status: "sold" });
  expect(await current()).toMatchObject({ name: "Max", status: "sold" });
});

describe("a DELETE", () => {
  test.each(LOSSES)("is made when its %s is lost", async (loss) => {
    states(
      "client/README.md",
      "`deletePet`, `categories.delete` | A 404 `pet_not_found` or `category_not_found` counts as removed.",
    );
    const { petstore, id, ifMatch, current, seen } = await losing(loss);
    const { data, response } = await petstore.deletePet(id, { ifMatch }).withResponse();
    expect([data, response.status, seen.changes]).toEqual([undefined, loss === "response" ? 404 : 204, 2]);
    expect(await current()).toBeUndefined();
  });

  test("of a changed pet is refused when its request is lost", async () => {
    const { petstore, id, ifMatch, current } = await losing("request", (others, pet) =>
      others.updatePet(pet, { name: "Bo" }),
    );
    await expect(petstore.deletePet(id, { ifMatch })).rejects.toBeInstanceOf(PreconditionError);
    expect((await current())?.name).toBe("Bo");
  });

  test("at a wrong address is refused, even if something was lost", async () => {
    const { fetch } = lossy("response");
    const astray = await petstoreOf(service, { fetch, clock, baseUrl: `${service.url}/v1/dogs` });
    const error = await astray.deletePet(1).catch((reason) => reason);
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error.code).toBe("not_found");
  });
});

/** A loss, and a refusal by a limit before or after it, which says nothing of the other request. */
const PAIRS = LOSSES.flatMap((loss): [Loss, Loss][] => [
  [loss, "limit"],
  ["limit", loss],
]);

describe.each(PAIRS)("when the first request is lost by its %s and the second by its %s", (...losses) => {
  test("a PATCH with If-Match is made once", async () => {
    const { petstore, id, ifMatch, current, seen } = await losing(losses);
    const changed = await petstore.updatePet(id, { name: "Max" }, { ifMatch });
    expect([await current(), seen.changes]).toEqual([changed, 3]);
    expect(changed.name).toBe("Max");
  });

  test("a DELETE is made", async () => {
    const { petstore, id, current, seen } = await losing(losses);
    await petstore.deletePet(id);
    expect([await current(), seen.changes]).toEqual([undefined, 3]);
  });
});

test("a PATCH that another change has overtaken is refused by the state of the pet", async () => {
  states(
    "client/README.md",
    "Your change was made, and another client has changed the same field since: the call rejects with the error,",
  );
  const { petstore, id } = await losing("response", (others, pet) => others.updatePet(pet, { status: "sold" }));
  await expect(petstore.updatePet(id, { status: "pending" })).rejects.toBeInstanceOf(ConflictError);
});

test("300 changes and removals over a network that cuts every fifth connection all take place, each once", async () => {
  const line = await UnsteadyLine.to(Number(new URL(service.url).port), 5, 900);
  const direct = await petstoreOf(service);
  const petstore = await petstoreOf(service, {
    baseUrl: `http://127.0.0.1:${line.port}/v1`,
    maxRetries: 12,
    // One connection per request, so that each may be cut.
    fetch: (url, init) => fetch(url, { ...init, keepalive: false }),
    clock,
  });
  const change = async (index: number) => {
    const { id } = await direct.createPet({ name: `Line ${index}`, categoryId: 1 });
    await petstore.updatePet(id, ({ name }) => ({ name: `${name}!` }));
    await petstore.updatePet(id, ({ name }) => ({ name: `${name}?` }));
    if (index % 2) await petstore.deletePet(id);
    const [pet] = await direct.getPetsByIds([id]);
    expect(pet?.name).toBe(index % 2 ? undefined : `Line ${index}!?`);
  };
  for (let begin = 0; begin < 120; begin += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, index) => change(begin + index)));
  }
  line.close();
  expect(line.cuts).toBeGreaterThan(50);
});
