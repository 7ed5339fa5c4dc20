import { expect, test } from "bun:test";
import { eventTypes } from "../../../src/domain/changes.ts";
import { Connection } from "../../attack/connection.ts";
import { type Answer, type Client, locationOf } from "../../support/client.ts";
import { describes } from "../../support/descriptions.ts";
import { eventually } from "../../support/eventually.ts";
import { requestText } from "../../support/keep-alive.ts";
import { states } from "../../support/markdown.ts";
import { startService } from "../../support/service.ts";
import { useKey, useOperator, useService } from "../../support/use-service.ts";

const service = useService();
const { client, key } = useKey(service);
const operator = useOperator(service);
const WAITING = { Prefer: "wait=60" };

type Event = {
  id: number;
  at: string;
  type: string;
  subject: string;
  version: number;
  data: unknown;
  requestId?: string;
};

async function read(
  from: Client,
  path: string,
  headers?: Record<string, string>,
): Promise<{ events: Event[]; response: Answer; next: string }> {
  const response = await from.get(path, headers);
  expect(response.status).toBe(200);
  const next = /^<http:\/\/petstore\.test(\/v1\/events\?[^>]*)>; rel="next"$/.exec(
    response.headers.get("Link") ?? "",
  )?.[1];
  return { events: response.body, response, next: next ?? "none" };
}

/** Reads to the end. Returns the path at which the reader goes on. */
async function newest(filter = ""): Promise<string> {
  for (let path = `/v1/events?limit=100${filter}`; ; ) {
    const { events, next } = await read(client, path);
    if (events.length === 0) return next;
    path = next;
  }
}

/** What the history has of a request. */
const keptOf = async (requestId: string) =>
  (await operator.client.get(`/admin/v1/requests/${requestId}`)).body.requests?.[0];

const add = async (name: string) => (await client.post("/v1/pets", { name, categoryId: 1 })).body;

test("a reader goes on from page to page, and from an empty one when something has happened", async () => {
  describes("NextEvents", "Where to go on, also when nothing has happened yet:");
  describes("Events", "Events, by id, ascending.");
  states(
    "docs/events.md",
    "`GET /events`, called listEvents, returns events by id, ascending, one page at a time.",
    "`limit` | integer | 20 | 1 to 100 | At most this many events.",
    "it leads to what comes next.",
  );
  for (const name of ["Rex", "Mia", "Tom"]) await add(name);
  const first = await read(client, "/v1/events?limit=2");
  expect(first.events.map(({ type, subject, version }) => [type, subject, version])).toEqual([
    ["pet.created", "pets/1", 1],
    ["pet.created", "pets/2", 1],
  ]);
  const second = await read(client, first.next);
  expect(second.events).toHaveLength(1);
  const empty = await read(client, second.next);
  expect(empty.events).toEqual([]);
  const { id } = await add("Leo");
  const { events } = await read(client, empty.next);
  expect(events).toMatchObject([
    { type: "pet.created", data: { id, name: "Leo", categoryId: 1, status: "available" } },
  ]);
  states(
    "docs/events.md",
    "returns events by id, ascending, one page at a time.",
    "it leads to what comes next. Store its `after` with what you have made of the events, and go on from there after a stop.",
  );
});

test("with a filter a reader passes by what it leaves out, and never gets a position of 0", async () => {
  const filter = "&types=order.placed&subject=pets%2F1";
  const position = Number(/after=(\d+)/.exec(await newest(filter))?.[1]);
  const [last] = (await read(client, `/v1/events?subject=pets/${(await add("Kim")).id}`)).events;
  expect(position).toBe(Number(last?.id) - 1);
  const [other] = (await read(client, `/v1/events?subject=pets/${(await add("Ada")).id}`)).events;
  const partly = await read(client, `/v1/events?subject=${last?.subject}`);
  expect(partly.events).toHaveLength(1);
  expect(partly.next).toEndWith(`after=${other?.id}`);
  await using another = await startService();
  expect((await read(await another.withKey(), "/v1/events?types=pet.created")).next).toEndWith("after=1");
  // A full page may leave out what follows it.
  const idsOf = (events: Event[]) => events.map(({ id }) => id);
  const all = idsOf((await read(client, "/v1/events?types=pet.created&limit=100")).events);
  const found: number[] = [];
  for (let path = "/v1/events?types=pet.created&limit=2"; found.length < all.length; ) {
    const { events, next } = await read(client, path);
    if (events.length === 0) break;
    found.push(...idsOf(events));
    path = next;
  }
  expect(found).toEqual(all);
});

test.each(["without", "with"])("what a request changes has its id, %s an idempotency key", async (how) => {
  states("docs/events.md", "What was changed: `pets/7`, `categories/3`, `orders/12`.");
  const [ordered, other] = [await add("Ordered"), await add("Other")];
  const pet = { name: "Ada", categoryId: 1 };
  const create = (path: string, body: unknown, headers: Record<string, string>) => {
    const { "X-Request-Id": key = "" } = headers;
    return client.post(path, body, how === "with" ? { ...headers, "Idempotency-Key": key } : headers);
  };
  const category = "/v1/categories/-9";
  let order = "";
  const place = async (headers: Record<string, string>) => {
    const placed = await create("/v1/store/orders", { petId: ordered.id }, headers);
    order = locationOf(placed);
    return placed;
  };
  type Change = (headers: Record<string, string>) => Promise<Answer>;
  const changes: [types: string[], change: Change][] = [
    [["pet.created"], (headers) => create("/v1/pets", pet, headers)],
    [["pet.created", "pet.created"], (headers) => create("/v1/pets/batch", { pets: [pet, pet] }, headers)],
    [["pet.updated"], (headers) => client.patch(`/v1/pets/${other.id}`, { name: "Changed" }, headers)],
    [["pet.deleted"], (headers) => client.delete(`/v1/pets/${other.id}`, headers)],
    [["category.created"], (headers) => create("/v1/categories", { name: how }, headers)],
    [["category.created"], (headers) => client.put(category, { name: "Put" }, headers)],
    [["category.updated"], (headers) => client.put(category, { name: "Put again" }, headers)],
    [["category.deleted"], (headers) => client.delete(category, headers)],
    [["order.placed", "pet.updated"], place],
    [["order.approved"], (headers) => client.patch(order, { status: "approved" }, headers)],
    [["order.delivered", "pet.updated"], (headers) => client.patch(order, { status: "delivered" }, headers)],
  ];
  for (const [types, change] of changes) {
    const from = await newest();
    const id = `${types}`.replaceAll(",", "_");
    expect((await change({ "X-Request-Id": id })).status).toBeWithin(200, 300);
    const { events } = await read(client, from);
    expect(events.map(({ type, requestId }) => [type, requestId]).sort()).toEqual(types.map((type) => [type, id]));
  }
  states(
    "docs/events.md",
    "`requestId` | string | The `X-Request-Id` of the request that made the change, if one did.",
  );
});

test("a request that waits is answered with the first event, by another process too, and counts once", async () => {
  describes("listEvents", "With `Prefer: wait=30` a page that would be empty waits for the first event");
  const path = await newest();
  const waiting = read(client, path, WAITING);
  const { id } = await service.stores.pets.create(
    { name: "From another process", categoryId: 1n },
    { now: Date.now() },
  );
  const { events, response } = await waiting;
  expect(events.map(({ subject }) => subject)).toEqual([`pets/${id}`]);
  expect(response.headers.get("Preference-Applied")).toBe("wait=60");
  states(
    "docs/events.md",
    "waits while the page is empty: it is answered with the first event, or with `[]` after that time. `Preference-Applied` says so. It counts as one request, however long it waits",
  );
  states("docs/mirror.md", "A request that waits for events counts once.");
  const used = async () => (await client.get("/v1/usage")).body.day.used;
  const end = await newest();
  const before = await used();
  await read(client, end, { Prefer: "wait=1" });
  expect(await used()).toBe(before + 1);
});

test("the time of waiting is none of a request's", async () => {
  await read(client, await newest(), { Prefer: "wait=3", "X-Request-Id": "waited" });
  await eventually(async () => (await keptOf("waited")) !== undefined);
  expect((await keptOf("waited")).duration).toBeWithin(0, 2_500);
});

test.each(["close", "reset", "endSending"] as const)(
  "a request whose client leaves waits no longer: %s",
  async (leave) => {
    states("docs/events.md", "or when you close the connection or your side of it.");
    const path = await newest();
    const leaving = await Connection.open(service.url);
    leaving.send(requestText("GET", path, key.secret, undefined, { "X-Request-Id": leave, ...WAITING }));
    const staying = read(client, path, { Prefer: "wait=45" }).then(() => "answered");
    // Another request that is answered shows that these have arrived.
    await client.get("/v1/pets?limit=1");
    leaving[leave]();
    await eventually(async () => (await keptOf(leave)) !== undefined);
    if (leave === "endSending") expect((await leaving.untilClosed(60_000)).answers).toMatchObject([{ status: 200 }]);
    expect(await Promise.race([staying, Promise.resolve("waits")])).toBe("waits");
    await add("For who stays");
    expect(await staying).toBe("answered");
    leaving.close();
    states("docs/events.md", "or when you close the connection or your side of it.");
  },
);

test("a filter may name all types, which selects as much as none", async () => {
  const [all, filtered] = await Promise.all(
    ["", `&types=${eventTypes}`].map((filter) => read(client, `/v1/events?limit=100${filter}`)),
  );
  expect(filtered?.events).toEqual(all?.events);
  expect(all?.events).not.toEqual([]);
});

test("of requests that wait, an event ends those that it concerns", async () => {
  states(
    "docs/events.md",
    "waits while the page is empty: it is answered with the first event, or with `[]` after that time. `Preference-Applied` says so.",
  );
  const { id } = await add("Followed");
  const filters = [
    "",
    `&subject=pets/${id}`,
    "&types=pet.deleted,pet.updated",
    "&types=order.placed",
    "&subject=pets/1",
  ];
  const paths = await Promise.all(filters.map(newest));
  const waiting = paths.map((path) => read(client, path, { Prefer: 'handling=lenient, WAIT="3"; x=1' }));
  await service.stores.pets.update(BigInt(id), { name: "Changed" }, { now: Date.now() });
  const found = await Promise.all(waiting);
  expect(found.map(({ events }) => events.map(({ subject }) => subject))).toEqual([
    ...[[`pets/${id}`], [`pets/${id}`], [`pets/${id}`]],
    ...[[], []],
  ]);
  expect(found.map(({ response }) => response.headers.get("Preference-Applied"))).toEqual(Array(5).fill("wait=3"));
});

test("a request that waits is also woken by an event that comes with more than a thousand others", async () => {
  const [path, pets] = [await newest("&types=category.created"), await newest()];
  const waiting = read(client, path, WAITING);
  const before = read(client, pets, WAITING);
  await add("Before them");
  await before;
  const now = Date.now();
  const many = Array.from({ length: 1_001 }, (_, i) => ({ name: `Pet ${i}`, categoryId: 1n }));
  await Promise.all([
    service.stores.pets.createAll(many, { now }),
    service.stores.categories.create({ name: "Behind them" }, { now }),
  ]);
  expect((await waiting).events).toMatchObject([{ type: "category.created", data: { name: "Behind them" } }]);
});

test.each(["wait=0", "wait=61", "wait=-1", "wait=1.5", "wait", "wait=abc", "respond-async", '=,;"', "waits=3"])(
  "Prefer: %s is ignored",
  async (Prefer) => {
    states(
      "docs/events.md",
      "A request with `Prefer: wait=30` (RFC 7240; 1 to 60 seconds)",
      "Another value is ignored.",
    );
    const { events, response } = await read(client, await newest(), { Prefer });
    expect(events).toEqual([]);
    expect(response.headers.get("Preference-Applied")).toBeNull();
  },
);

test("requests that wait end at once when the service stops, with an answer", async () => {
  states("docs/events.md", "and ends when the service stops,");
  const stopped = await startService();
  const follower = await stopped.withKey();
  const waiting = Array.from({ length: 20 }, () => read(follower, "/v1/events", WAITING));
  // Another request that is answered shows that these have arrived.
  await read(follower, "/v1/events");
  expect(await stopped.stop()).toBe(0);
  for (const { events, next } of await Promise.all(waiting))
    expect([events, next]).toEqual([[], "/v1/events?limit=20&after=1"]);
  await stopped.remove();
  states("docs/events.md", "and ends when the service stops,");
});

test("every list has a position, also when nothing has changed, and what comes after it is followed", async () => {
  describes("PetstorePosition", "A position in the feed of events: what the page shows is at least as new.");
  states(
    "docs/events.md",
    "Each page of pets, categories and orders has a `Petstore-Position`: what the page shows is at least as new as that event.",
  );
  for (const path of ["/v1/pets", "/v1/categories", "/v1/store/orders", "/v1/pets?ids=1", "/v1/pets?name=nobody"]) {
    // Three times, so that the page is cached.
    for (let i = 0; i < 3; i++) {
      const { headers } = await client.get(path);
      const position = Number(headers.get("Petstore-Position"));
      const { events } = await read(client, `/v1/events?after=${position - 1}`);
      expect(events[0]?.id).toBe(position);
      const same = await client.get(path, { "If-None-Match": headers.get("ETag") ?? "" });
      expect([same.status, same.headers.get("Petstore-Position")]).toEqual([304, String(position)]);
    }
  }
  const before = (await client.get("/v1/pets?limit=100")).headers.get("Petstore-Position");
  const { id } = await add("After the page");
  const { events } = await read(client, `/v1/events?after=${before}&limit=100`);
  expect(events.map(({ subject }) => subject)).toContain(`pets/${id}`);
  states(
    "docs/paging.md",
    "`Petstore-Position` on each page is a position in the feed of events: follow it from there",
  );
});

test("a key without the scope is refused, as keys from before are", async () => {
  states("docs/authentication.md", "`events:read` for the events of all of them");
  states("CHANGELOG.md", "New keys have its scope, `events:read`; give it to the keys that are to follow it.");
  states(
    "docs/events.md",
    "You read the feed with the scope `events:read`, which keys from before there were events do not have.",
  );
  const other = await service.withKey({ scopes: ["pets:read", "pets:write", "orders:read", "orders:write"] });
  const response = await other.get("/v1/events");
  expect([response.status, response.body.code]).toEqual([403, "insufficient_scope"]);
  expect(key.secret).not.toBe("");
  states(
    "docs/events.md",
    "You read the feed with the scope `events:read`, which keys from before there were events do not have.",
  );
});

test.each([
  "after=-1",
  "after=x",
  "limit=0",
  "limit=101",
  "types=",
  "types=pet.sold",
  `types=${Array(12).fill("pet.created")}`,
  "subject=",
  "subject=pets",
  "subject=pets/x",
  "subject=dogs/1",
])("%s is refused", async (query) => {
  const response = await client.get(`/v1/events?${query}`);
  expect([response.status, response.body.code]).toEqual([400, "invalid_parameter"]);
});

test("the two forms of a page never stand in for each other: neither for a cache, nor for requests that wait", async () => {
  const { id } = await add("Two forms");
  const forms = ["application/json", "application/cloudevents-batch+json"];
  const ask = (path: string, Accept: string, more: Record<string, string> = {}) =>
    fetch(service.url + path, { headers: { Authorization: `Bearer ${key.secret}`, Accept, ...more } });
  const ended = await newest();
  for (const path of [`/v1/events?subject=pets/${id}`, ended]) {
    for (const form of forms) {
      const { headers } = await ask(path, form);
      const known = { "If-None-Match": headers.get("ETag") ?? "" };
      for (const asked of forms) {
        const { status, headers } = await ask(path, asked, known);
        expect([status, headers.get("Vary")]).toEqual([asked === form ? 304 : 200, "Authorization, Accept"]);
      }
    }
  }
  const waiting = [...forms, ...forms].map((form) => ask(ended, form, WAITING));
  // Another request that is answered shows that these have arrived.
  await client.get("/v1/pets?limit=1");
  await add("For both");
  const types = (await Promise.all(waiting)).map(async (response) => {
    const [{ specversion }] = await response.json();
    return [response.headers.get("Content-Type"), specversion];
  });
  const [plain, cloud] = forms;
  expect(await Promise.all(types)).toEqual(
    [plain, cloud, plain, cloud].map((form) => [form, form === cloud ? "1.0" : undefined]),
  );
});

test.each([
  ["application/cloudevents-batch+json;charset=utf-8;q=0.9, application/json;q=0.5", true],
  ["application/json;q=0.5, application/cloudevents-batch+json", true],
  ["application/json, application/cloudevents-batch+json", false],
  ["application/json, application/cloudevents-batch+json;q=0.5", false],
  ["application/cloudevents-batch+json;q=0, */*", false],
  ["application/cloudevents-batch+jsonl", false],
])("the form of a page is the one that the client prefers: %s", async (Accept, isCloud) => {
  states(
    "docs/events.md",
    "A client that names `application/json` too gets the one with the greater weight (`q`), and of equal ones JSON.",
  );
  const headers = { Authorization: `Bearer ${key.secret}`, Accept };
  const response = await fetch(`${service.url}/v1/events?limit=1`, { headers });
  expect(response.headers.get("Content-Type")).toBe(
    isCloud ? "application/cloudevents-batch+json" : "application/json",
  );
  states("docs/events.md", "gets the one with the greater weight (`q`), and of equal ones JSON.");
});

test("a page is a batch of CloudEvents for a client that accepts those", async () => {
  states("docs/events.md", "and `version` and `requestid` are extensions");
  describes("CloudEvents", "A batch of CloudEvents, by id, ascending.");
  describes("CloudEvent.id", "The id of the event.");
  states(
    "docs/events.md",
    "With `Accept: application/cloudevents-batch+json` the page is a batch of CloudEvents 1.0: `id`, `type`, `subject` and `data` are the same, `time` is `at`,",
  );
  const { id } = await add("Cloud");
  const path = `/v1/events?subject=pets/${id}`;
  const response = await client.get(path, { Accept: "Application/CloudEvents-Batch+json, */*;q=0.1" });
  expect(response.headers.get("Content-Type")).toBe("application/cloudevents-batch+json");
  expect(response.headers.get("Vary")).toContain("Accept");
  const [plain] = (await read(client, path)).events;
  expect(response.body).toEqual([
    {
      ...{ specversion: "1.0", id: String(plain?.id), source: "http://petstore.test/v1", type: "pet.created" },
      ...{ subject: `pets/${id}`, time: plain?.at, datacontenttype: "application/json" },
      ...{ version: "1", requestid: plain?.requestId, data: plain?.data },
    },
  ]);
});
