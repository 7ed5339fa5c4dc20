import { describe, expect, spyOn, test } from "bun:test";
import { realClock } from "../../src/clock.ts";
import { type CallOptions, type Clock, PetstoreClient, type PetstoreOptions } from "../../src/main.ts";

const NOW = Date.UTC(2026, 11, 2);
const PET = '{"id":1,"name":"Rex","categoryId":1,"status":"available"}';
const clock: Clock = { now: () => NOW, random: () => 0, sleep: async () => {} };

/** A client whose requests are recorded, and answered with what `answer` says. */
function answered(answer: (init: RequestInit, url: string) => Response, options: Partial<PetstoreOptions> = {}) {
  const requests: { url: string; method: string; headers: Headers }[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    requests.push({ url, method: String(init.method), headers: new Headers(init.headers) });
    return answer(init, url);
  };
  const petstore = new PetstoreClient({
    ...{ apiKey: "pets_live_x", baseUrl: "http://pets.test", clock, onDeprecation() {} },
    ...{ fetch, ...options },
  });
  return { petstore, requests };
}

/** As the service answers: what a call returns, enough for the client to go on. */
function served(init: RequestInit, url: string): Response {
  const limits = {
    "RateLimit-Policy": '"minute";q=9;w=60, "day";q=99;w=86400',
    ...{ RateLimit: '"minute";r=9;t=60, "day";r=99;t=86400', ETag: '"v1"' },
  };
  const one = url.includes("/orders") ? PET.replace('"name":"Rex"', '"petId":1') : PET;
  const isList = init.method === "GET" && /\/(pets|categories|orders|events)(\?|$)/.test(url);
  if (init.method === "DELETE") return new Response(null, { status: 204 });
  if (url.endsWith("/pets/batch")) return new Response(`{"pets":[${PET},${PET}]}`, { headers: limits });
  if (url.endsWith("/inventory")) return new Response('{"available":1,"pending":0,"sold":0}', { headers: limits });
  if (url.endsWith("/usage")) return new Response('{"plan":"free"}', { headers: limits });
  const event = `{"id":1,"type":"pet.created","at":"","subject":"pets/1","version":1,"data":${PET}}`;
  return new Response(isList ? `[${url.includes("/events") ? event : one}]` : one, { headers: limits });
}

const NEW = { name: "Rex", categoryId: 1 };

/** A call of each method, with the number of its requests. */
const calls: [name: string, requests: number, call: (petstore: PetstoreClient, options: CallOptions) => unknown][] = [
  ["listPets", 1, (petstore, options) => petstore.listPets({}, options)],
  ["pets", 1, (petstore, options) => petstore.pets({}, options).toArray({ max: 9 })],
  ["pages", 1, (petstore, options) => petstore.pages({}, options).toArray({ max: 9 })],
  ["getPetsByIds", 1, (petstore, options) => petstore.getPetsByIds([1], options)],
  ["createPet", 1, (petstore, options) => petstore.createPet(NEW, options)],
  ["createPets", 2, (petstore, options) => petstore.createPets([NEW, NEW, NEW], options).toArray({ max: 9 })],
  ["getPet", 1, (petstore, options) => petstore.getPet(1, options)],
  ["updatePet", 1, (petstore, options) => petstore.updatePet(1, { name: "Max" }, options)],
  ["updatePet with a function", 2, (petstore, options) => petstore.updatePet(1, () => ({ name: "Max" }), options)],
  ["deletePet", 1, (petstore, options) => petstore.deletePet(1, options)],
  ["inventory", 1, (petstore, options) => petstore.inventory(options)],
  ["usage", 1, (petstore, options) => petstore.usage(options)],
  ["request", 1, (petstore, options) => petstore.request("GET", "/pets", options)],
  ["events", 1, (petstore, options) => petstore.events({}, options).toArray({ max: 1 })],
  ["categories.list", 1, ({ categories }, options) => categories.list({}, options)],
  ["categories.pages", 1, ({ categories }, options) => categories.pages({}, options).toArray({ max: 9 })],
  ["categories.all", 1, ({ categories }, options) => categories.all({}, options).toArray({ max: 9 })],
  ["categories.create", 1, ({ categories }, options) => categories.create({ name: "Dogs" }, options)],
  ["categories.get", 1, ({ categories }, options) => categories.get(1, options)],
  ["categories.put", 1, ({ categories }, options) => categories.put(1, { name: "Dogs" }, options)],
  ["categories.delete", 1, ({ categories }, options) => categories.delete(1, options)],
  ["orders.list", 1, ({ orders }, options) => orders.list({}, options)],
  ["orders.pages", 1, ({ orders }, options) => orders.pages({}, options).toArray({ max: 9 })],
  ["orders.all", 1, ({ orders }, options) => orders.all({}, options).toArray({ max: 9 })],
  ["orders.place", 1, ({ orders }, options) => orders.place({ petId: 1 }, options)],
  ["orders.get", 1, ({ orders }, options) => orders.get(1, options)],
  ["orders.update", 1, ({ orders }, options) => orders.update(1, { status: "approved" }, options)],
  ["orders.approve", 1, ({ orders }, options) => orders.approve(1, options)],
  ["orders.deliver", 1, ({ orders }, options) => orders.deliver(1, options)],
  ["orders.cancel", 1, ({ orders }, options) => orders.cancel(1, options)],
];

test.each(calls)("each request of %s has the options of the call", async (name, count, call) => {
  const { petstore, requests } = answered(served);
  await call(petstore, { headers: { traceparent: name } });
  expect(requests.map(({ headers }) => headers.get("traceparent"))).toEqual(Array(count).fill(name));
});

test("If-Match goes with a change, and not with the read that finds out whether it was made", async () => {
  const sent = async (methods: string[], call: (petstore: PetstoreClient) => Promise<unknown>) => {
    let losses = 1;
    const { petstore, requests } = answered((init, url) => {
      if (init.method === "GET") return served(init, url);
      if (losses-- > 0) return new Response("", { status: 503 });
      return Response.json({ code: "precondition_failed", message: "No." }, { status: 412 });
    });
    await call(petstore).catch(() => {});
    expect(requests.map(({ method }) => method)).toEqual(methods);
    return requests.map(({ headers }) => headers.get("If-Match"));
  };
  const ifMatch = '"v1"';
  const change = (petstore: PetstoreClient) => petstore.updatePet(1, { name: "Max" }, { ifMatch });
  expect(await sent(["PATCH", "PATCH", "GET"], change)).toEqual([ifMatch, ifMatch, null]);
  const create = (petstore: PetstoreClient) => petstore.request("POST", "/pets", { body: NEW, ifMatch });
  expect(await sent(["POST", "POST"], create)).toEqual([null, null]);
});

test("a change of an integer beyond 2^53 whose response was lost is found to be made", async () => {
  const categoryId = 9223372036854775807n;
  let losses = 1;
  const { petstore } = answered((init) => {
    if (init.method === "GET") return new Response(`[${PET.replace('"categoryId":1', `"categoryId":${categoryId}`)}]`);
    if (losses-- > 0) return new Response("", { status: 503 });
    return Response.json({ code: "precondition_failed", message: "No." }, { status: 412 });
  });
  expect(await petstore.updatePet(1, { categoryId }, { ifMatch: '"v1"' })).toMatchObject({ categoryId });
});

describe("an error", () => {
  const page = (status: number) => () => new Response("<html></html>", { status });
  test.each<[string, () => Response, string]>([
    [
      "connection_failed",
      () => {
        throw new TypeError("lost");
      },
      "The connection to http://pets.test/v1/pets failed: lost",
    ],
    [
      "unexpected_response",
      page(404),
      "The response of http://pets.test/v1/pets has status 404 and is not from the service.",
    ],
    ["unexpected_response", page(200), "The response of http://pets.test/v1/pets is not JSON."],
  ])("(%s, %#) names the address without the names in its query", async (code, answer, message) => {
    const { petstore } = answered(answer, { maxRetries: 0 });
    await expect(petstore.listPets({ name: "Secretive" })).rejects.toMatchObject({ code, message });
  });

  test("of a request that is late does so too, and of one that was not sent it says for how long", async () => {
    const fetch = (_url: string, { signal }: RequestInit) =>
      new Promise<Response>((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    const late = new PetstoreClient({ apiKey: "pets_live_x", baseUrl: "http://pets.test", fetch, maxRetries: 0 });
    await expect(late.listPets({ name: "Secretive" }, { timeout: 5 })).rejects.toMatchObject({
      message: "http://pets.test/v1/pets did not respond within 5 ms.",
    });
    const used = { "RateLimit-Policy": '"day";q=9;w=86400', RateLimit: '"day";r=0;t=1800' };
    const { petstore } = answered(() => new Response("[]", { headers: used }), { budget: 1_000 });
    await petstore.listPets();
    await expect(petstore.listPets()).rejects.toThrow("The limits are used up for 1800 more seconds");
  });

  test("has no problems where the service lists none", async () => {
    for (const details of [undefined, "none", { name: "is missing" }]) {
      const body = { code: "payload_too_large", message: "Too large.", details };
      const { petstore } = answered(() => Response.json(body, { status: 413 }));
      await expect(petstore.createPet(NEW)).rejects.toMatchObject({ name: "ValidationError", details: [] });
    }
  });

  test("says when to try again by the time of the client, where the response has no time", async () => {
    const headers = { "Retry-After": new Date(NOW + 90_000).toUTCString() };
    const { petstore } = answered(() => new Response("", { status: 503, headers }), {
      ...{ maxRetries: 0, clock: { ...clock, now: () => NOW + 250 } },
    });
    await expect(petstore.listPets()).rejects.toMatchObject({ retryAfter: 90 });
  });
});

test("a page of a proxy with status 200 is tried again, and the redirection that a browser hides is not", async () => {
  const pages = ["<html>Sign in</html>", "[]"];
  const proxied = answered(() => new Response(pages.shift()));
  expect((await proxied.petstore.listPets()).pets).toEqual([]);
  expect(proxied.requests).toHaveLength(2);
  const hidden = answered(() => Response.error());
  await expect(hidden.petstore.listPets()).rejects.toMatchObject({ code: "unexpected_response", status: 0 });
  expect(hidden.requests).toHaveLength(1);
});

test.each(["available", "pending", "sold"])("an inventory without the number of %s pets is none", async (status) => {
  for (const value of [undefined, "1", 1.5]) {
    const { petstore } = answered(() => Response.json({ available: 1, pending: 2, sold: 3, [status]: value }));
    await expect(petstore.inventory()).rejects.toThrow("The response is not an inventory.");
  }
});

test("each deprecated operation is reported, on the console only with what the service says of it", async () => {
  const warn = spyOn(console, "warn").mockImplementation(() => {});
  const headers = [
    { Deprecation: "@1795132800", Sunset: "Thu, 05 Dec 2030 00:00:00 GMT" },
    { Deprecation: "@1795132800", Link: '</v2/store>; rel="successor-version"' },
  ];
  try {
    const { petstore } = answered(
      (init, url) => {
        const { body } = served(init, url);
        return new Response(body, { headers: headers[url.includes("inventory") ? 1 : 0] ?? {} });
      },
      { onDeprecation: undefined },
    );
    for (let round = 0; round < 2; round++) await Promise.all([petstore.listPets(), petstore.inventory()]);
    expect(warn.mock.calls.map(([text]) => text).sort()).toEqual([
      "@petstore/client: getInventory is deprecated. Use GET /v2/store instead.",
      "@petstore/client: listPets is deprecated and will be removed on Thu, 05 Dec 2030 00:00:00 GMT.",
    ]);
  } finally {
    warn.mockRestore();
  }
});

describe("following", () => {
  const order = (categoryId: bigint) =>
    `[{"id":3,"type":"order.placed","at":"","subject":"orders/4","version":5,"data":{"id":4,"petId":6,"pet":{"name":"Rex","categoryId":${categoryId}}}}]`;

  test("goes on behind the last event where a proxy has removed the link, with pages of a hundred", async () => {
    const { petstore, requests } = answered(() => new Response(order(1n)));
    expect(await petstore.events({ after: 2 }).toArray({ max: 2 })).toHaveLength(2);
    expect(requests.map(({ url }) => url.split("?")[1])).toEqual(["after=2&limit=100", "after=3&limit=100"]);
  });

  test("with bigints returns each integer of an event as one, also of what was sold", async () => {
    const { petstore } = answered(() => new Response(order(7n)));
    const [mixed] = await petstore.events().toArray({ max: 1 });
    expect(mixed).toMatchObject({ id: 3, version: 5, data: { id: 4, petId: 6, pet: { categoryId: 7 } } });
    const fetch = async () => new Response(order(7n));
    const bigints = new PetstoreClient({ apiKey: "pets_live_x", fetch, clock, integers: "bigint" });
    const [event] = await bigints.events().toArray({ max: 1 });
    expect(event).toMatchObject({ id: 3n, version: 5n, data: { id: 4n, petId: 6n, pet: { categoryId: 7n } } });
  });

  test("returns events that JSON.stringify writes, with every digit", async () => {
    const { petstore } = answered(() => new Response(order(9223372036854775807n)));
    expect(JSON.stringify(await petstore.events().toArray({ max: 1 }))).toBe(order(9223372036854775807n));
  });
});

describe("the time of the client", () => {
  test("is that of the machine, and its random numbers are from 0 to 1", () => {
    expect(Math.abs(realClock.now() - Date.now())).toBeLessThan(60_000);
    const numbers = Array.from({ length: 100 }, realClock.random);
    expect(numbers.filter((number) => !(number >= 0 && number < 1))).toEqual([]);
    expect(Math.max(...numbers) - Math.min(...numbers)).toBeGreaterThan(0.5);
  });

  test("is waited for in parts where a timer cannot wait so long, and such a time-out does not end a request", async () => {
    const [LONGEST, waits] = [2 ** 31 - 1, [] as number[]];
    const start = spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms: number) => {
      waits.push(ms);
      queueMicrotask(run);
    }) as never);
    try {
      await realClock.sleep(2 * LONGEST + 7);
      expect(waits).toEqual([LONGEST, LONGEST, 7]);
      waits.length = 0;
      const { petstore } = answered(served);
      await petstore.listPets({}, { timeout: Infinity, budget: Infinity }).catch(() => {});
      expect(waits[0]).toBe(LONGEST);
    } finally {
      start.mockRestore();
    }
  });
});
