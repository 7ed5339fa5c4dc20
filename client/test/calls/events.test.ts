import { expect, test } from "bun:test";
import { eventually } from "../../../test/support/eventually.ts";
import { states } from "../../../test/support/markdown.ts";
import { useService } from "../../../test/support/use-service.ts";
import type { Event, PetstoreClient } from "../../src/main.ts";
import { petstoreOf } from "../support/petstore.ts";

const service = useService();

/** Follows until so many events have come. */
async function take(events: AsyncIterable<Event>, count: number): Promise<Event[]> {
  const taken: Event[] = [];
  for await (const event of events) if (taken.push(event) === count) break;
  return taken;
}

const newest = async (petstore: PetstoreClient) => {
  const { response } = await petstore.listPets({ limit: 1 }).withResponse();
  return Number(response.headers.get("Petstore-Position"));
};

test("events come as they happen, and again from a stored position, in another client too", async () => {
  states(
    "client/README.md",
    "`events` iterates over all changes of pets, categories and orders, and waits for more, without an end:",
    "Store the `id` of the last event that you processed, and pass it as `after` to continue later.",
    "To begin beside a copy, take `after` from the header `Petstore-Position` of the first page of the list, which `withResponse` gives.",
    "That of an event is of the request that made the change.",
  );
  states(
    "docs/mirror.md",
    "Your program stops, or is killed | Go on from the position that is stored. An event that you applied is then not sent again.",
  );
  const petstore = await petstoreOf(service);
  const after = await newest(petstore);
  const following = take(petstore.events({ after }), 3);
  const { id } = await petstore.createPet({ name: "Rex", categoryId: 9223372036854775807n });
  await petstore.updatePet(id, { status: "sold" });
  await petstore.deletePet(id);
  const [created, updated, deleted] = await following;
  expect(created).toEqual({
    ...{ id: expect.any(Number), type: "pet.created", subject: `pets/${id}`, version: 1 },
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    data: { id, name: "Rex", categoryId: 9223372036854775807n, status: "available" },
    requestId: expect.any(String),
  } as never);
  expect([updated?.version, deleted?.type]).toEqual([2, "pet.deleted"]);
  const another = await petstoreOf(service);
  expect(await take(another.events({ after: created?.id }), 2)).toEqual([updated, deleted] as Event[]);
  const history = another.events({ subject: `pets/${id}`, types: ["pet.updated"] });
  expect(await take(history, 1)).toEqual([updated] as Event[]);
  states("client/README.md", "waits for more, without an end:", "pass it as `after` to continue later.");
});

test("following continues after a broken connection, and after the service was away", async () => {
  states(
    "docs/proxies.md",
    "A request of `events` waits many seconds for its response. A proxy that ends idle connections sooner makes the client ask again.",
  );
  states("docs/events.md", "The client does most of it.");
  states("docs/mirror.md", "which waits and repeats by itself");
  let failures = 0;
  const broken = async (url: string, init: RequestInit) => {
    if (failures++ % 3 < 2) throw new TypeError("the connection is broken");
    return fetch(url, init);
  };
  const petstore = await petstoreOf(service);
  const after = await newest(petstore);
  const clock = { now: () => performance.now(), random: () => 0, sleep: () => Bun.sleep(1) };
  const unsteady = await petstoreOf(service, { fetch: broken, maxRetries: 0, clock });
  const following = take(unsteady.events({ after }), 2);
  for (const name of ["Mia", "Tom"]) await petstore.createPet({ name, categoryId: 1 });
  expect((await following).map(({ data }) => "name" in data && data.name)).toEqual(["Mia", "Tom"]);
  expect(failures).toBeGreaterThan(2);
  states("client/README.md", "It continues after errors of the service and of the network.");
});

test("following moves on while no event is one that it follows", async () => {
  const positions: number[] = [];
  const impatient = async (url: string, init: RequestInit) => {
    positions.push(Number(new URL(url).searchParams.get("after")));
    const headers = new Headers(init.headers);
    headers.set("Prefer", "handling=strict, wait=1");
    return fetch(url, { ...init, headers });
  };
  const petstore = await petstoreOf(service);
  const after = await newest(petstore);
  for (const name of ["Ann", "Bob"]) await petstore.createPet({ name, categoryId: 1 });
  const last = await newest(petstore);
  const controller = new AbortController();
  const other = await petstoreOf(service, { fetch: impatient });
  const following = take(other.events({ after, types: ["order.placed"] }, { signal: controller.signal }), 1);
  await eventually(() => positions.at(-1) === last);
  controller.abort(new Error("enough"));
  expect(await following.catch(({ message }) => message)).toBe("enough");
  expect(positions[0]).toBe(after);
});

test("following ends when it is aborted", async () => {
  const petstore = await petstoreOf(service);
  const controller = new AbortController();
  const following = take(petstore.events({ after: await newest(petstore) }, { signal: controller.signal }), 1);
  controller.abort(new Error("enough"));
  expect(await following.catch(({ message }) => message)).toBe("enough");
});

test("headers of the call are sent beside the client's own, which they do not replace", async () => {
  const requests: Headers[] = [];
  const controller = new AbortController();
  const petstore = await petstoreOf(service, {
    fetch: (url, init) => {
      requests.push(new Headers(init.headers));
      controller.abort(new Error("enough"));
      return fetch(url, init);
    },
  });
  const own = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", Prefer: "wait=1" };
  const following = take(petstore.events({ after: 1 }, { headers: own, signal: controller.signal }), 1);
  await expect(following).rejects.toThrow("enough");
  expect(requests.map((headers) => [headers.get("traceparent"), headers.get("Prefer")])).toEqual([
    [own.traceparent, "handling=strict, wait=20"],
  ]);
});

test("a position that is not kept any more is reported", async () => {
  const petstore = await petstoreOf(service);
  await service.stores.events.prune({ since: Infinity, most: 1 }, 1_000);
  const refused = await take(petstore.events({ after: 1 }), 1).catch((error) => error);
  expect([refused.code, refused.status]).toEqual(["position_expired", 410]);
  states(
    "client/README.md",
    "A position that is no longer kept is a PetstoreError with the code `position_expired`: copy the lists again.",
  );
});
