import { describe, expect, setSystemTime, test } from "bun:test";
import { states } from "../../../test/support/markdown.ts";
import { realClock } from "../../src/clock.ts";
import { digitsOf } from "../../src/int64.ts";
import { reportsIn } from "../../src/limits.ts";
import { type Clock, PetstoreClient } from "../../src/main.ts";
import { LimitTracker, Throttle } from "../../src/throttle.ts";

const NOW = 1_800_000_000_250;
/** A clock that stands still, and on which every wait is over at once. */
const clock: Clock = { now: () => NOW, random: () => 0, sleep: async () => {} };
const dayLeft = (remaining: number) => ({
  "RateLimit-Policy": '"day";q=100;w=86400',
  RateLimit: `"day";r=${remaining};t=86000`,
});
const nextTurn = () => new Promise<void>((resolve) => setTimeout(resolve, 1));

/** A service that says in each response that two requests are left, and knows how many it had at once at most. */
function lastTwo() {
  let atOnce = 0;
  return {
    mostAtOnce: 0,
    async respond(): Promise<Response> {
      atOnce += 1;
      this.mostAtOnce = Math.max(this.mostAtOnce, atOnce);
      await nextTurn();
      atOnce -= 1;
      return new Response("[]", { headers: dayLeft(2) });
    },
  };
}

describe("lost requests", () => {
  test("still count after the response to a request that was sent before they were lost", () => {
    const tracker = new LimitTracker();
    tracker.update(new Headers(dayLeft(2)), 1_000, 1_010);
    tracker.recordLost(1_020);
    tracker.update(new Headers(dayLeft(2)), 1_019, 1_030);
    expect(tracker.nextSendAt(1, 1_040)).toBe(Number.POSITIVE_INFINITY);
    tracker.update(new Headers(dayLeft(2)), 1_020, 1_050);
    expect(tracker.nextSendAt(1, 1_060)).toBe(1_060);
  });

  test("leave room for what the service may have counted", async () => {
    let sent = 0;
    const service = lastTwo();
    const fetch = async () => {
      sent += 1;
      if (sent === 2) throw new TypeError("the connection was lost");
      return service.respond();
    };
    const petstore = new PetstoreClient({ apiKey: "pets_live_x", fetch, clock, maxRetries: 0 });
    await petstore.listPets();
    await expect(petstore.listPets()).rejects.toMatchObject({ code: "connection_failed" });
    await Promise.all([petstore.listPets(), petstore.listPets()]);
    expect(sent).toBe(4);
    expect(service.mostAtOnce).toBe(1);
  });
});

test("a lost request of a free operation counts in no window: others need not leave room for it", async () => {
  const service = lastTwo();
  const fetch = async (url: string) => {
    if (url.endsWith("/usage")) throw new TypeError("the connection was lost");
    return service.respond();
  };
  const petstore = new PetstoreClient({ apiKey: "pets_live_x", fetch, clock, maxRetries: 0 });
  await petstore.listPets();
  await expect(petstore.usage()).rejects.toMatchObject({ code: "connection_failed" });
  await Promise.all([petstore.listPets(), petstore.listPets()]);
  expect(service.mostAtOnce).toBe(2);
});

test("a limit that changes is believed at once, also when more requests remain than before", () => {
  const tracker = new LimitTracker();
  const report = (limit: number, remaining: number) =>
    new Headers({ "RateLimit-Policy": `"day";q=${limit};w=86400`, RateLimit: `"day";r=${remaining};t=86000` });
  tracker.update(report(100, 1), NOW, NOW + 10);
  tracker.update(report(1_000, 900), NOW + 20, NOW + 30);
  expect(tracker.limits.day).toMatchObject({ limit: 1_000, remaining: 900 });
  tracker.update(report(1_000, 950), NOW + 40, NOW + 50);
  expect(tracker.limits.day).toMatchObject({ limit: 1_000, remaining: 900 });
});

test("the limits on a 401 are not the key's", async () => {
  const headers = { "X-RateLimit-Limit": "300", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1800000060" };
  const fetch = async () => new Response("{}", { status: 401, headers });
  const petstore = new PetstoreClient({ apiKey: "pets_live_x", fetch, clock });
  await expect(petstore.listPets()).rejects.toMatchObject({ status: 401 });
  expect(petstore.rateLimits).toEqual({});
});

test("a window's end is rounded up to whole seconds", () => {
  const headers = new Headers({
    "X-RateLimit-Limit": "60",
    "X-RateLimit-Remaining": "7",
    "X-RateLimit-Reset": "1800000060",
  });
  expect(reportsIn(headers, NOW)).toEqual([{ name: "minute", limit: 60, remaining: 7, seconds: 60 }]);
  expect(reportsIn(headers, NOW + 60_000)).toMatchObject([{ seconds: 0 }]);
});

test.each([
  ['"minute";r=7;t=42', null, [{ name: "minute", limit: 7, remaining: 7, seconds: 42 }]],
  ['"day";r=7', '"day";q=9', [{ name: "day", limit: 9, remaining: 7, seconds: 0 }]],
  ['"day"; t=5; r=7 , "minute";r=1;t=2', ' "minute"; w=60; q=3,"day";q=9', ["day", "minute"]],
  ['"day";t=5', '"day";q=9', []],
  [null, '"day";q=9', []],
] as const)("RateLimit %p with the policy %p says as much of a window as it has", (limit, policy, expected) => {
  const headers = new Headers();
  if (limit !== null) headers.set("RateLimit", limit);
  if (policy !== null) headers.set("RateLimit-Policy", policy);
  const found = reportsIn(headers, NOW);
  const whole = { minute: { limit: 3, remaining: 1, seconds: 2 }, day: { limit: 9, remaining: 7, seconds: 5 } };
  expect(found).toEqual(expected.map((one) => (typeof one === "string" ? { name: one, ...whole[one] } : one)));
});

test("headers that are missing or no numbers say nothing of a window", () => {
  const known = { "X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "7", "X-RateLimit-Reset": "1800000060" };
  for (const name of Object.keys(known)) {
    const missing = new Headers(known);
    missing.delete(name);
    expect(reportsIn(missing, NOW)).toEqual([]);
    expect(reportsIn(new Headers({ ...known, [name]: "soon" }), NOW)).toEqual([]);
  }
});

test.each(['""', "null", "1", "{}", '[{"name":"Rex"}]'])(
  "a success of %s is no answer of the service: each call says what it is not",
  async (body) => {
    const fetch = async () => new Response(body, { headers: { ETag: '"v1"' } });
    const petstore = new PetstoreClient({ apiKey: "pets_live_x", fetch, clock, onDeprecation() {}, maxRetries: 0 });
    const list = (name: string) => (body.startsWith("[") ? name : "a list");
    const calls: [string, () => Promise<unknown>][] = [
      [list("a pet"), () => petstore.listPets()],
      [list("a category"), () => petstore.categories.list()],
      [list("an order"), () => petstore.orders.list()],
      ["a pet", () => petstore.getPet(1)],
      ["a pet", () => petstore.createPet({ name: "Rex", categoryId: 1 })],
      ["a category", () => petstore.categories.get(1)],
      ["a category", () => petstore.categories.put(1, { name: "Dogs" })],
      ["an order", () => petstore.orders.get(1)],
      ["an order", () => petstore.orders.approve(1)],
      ["an inventory", () => petstore.inventory()],
      ["the usage", () => petstore.usage()],
    ];
    for (const [name, call] of calls) {
      await expect(call()).rejects.toMatchObject({
        code: "unexpected_response",
        status: 200,
        message: `The response is not ${name}.`,
      });
    }
  },
);

test("all pets are read in pages of a hundred", async () => {
  states("client/README.md", "of 100 pets each");
  const urls: string[] = [];
  const fetch = async (url: string) => {
    urls.push(url);
    return new Response("[]");
  };
  const petstore = new PetstoreClient({ apiKey: "pets_live_x", baseUrl: "http://pets.test/v1", fetch, clock });
  await Array.fromAsync(petstore.pets({ status: "sold" }));
  await Array.fromAsync(petstore.pets({ limit: 7 }));
  expect(urls).toEqual(["http://pets.test/v1/pets?limit=100&status=sold", "http://pets.test/v1/pets?limit=7"]);
});

test("a link to the next page without a position is an error", async () => {
  const fetch = async () => new Response("[]", { headers: { Link: '</v1/pets?limit=100>; rel="next"' } });
  const petstore = new PetstoreClient({ apiKey: "pets_live_x", fetch, clock });
  await expect(petstore.listPets()).rejects.toMatchObject({ code: "unexpected_response" });
});

test("a call that is aborted in the queue takes no one's place", async () => {
  const throttle = new Throttle(new LimitTracker(), clock);
  const controller = new AbortController();
  expect(await throttle.acquire(Number.POSITIVE_INFINITY)).toBe(0);
  const aborted = throttle.acquire(Number.POSITIVE_INFINITY, controller.signal);
  const next = throttle.acquire(Number.POSITIVE_INFINITY);
  controller.abort(new Error("not needed"));
  await expect(aborted).rejects.toThrow("not needed");
  throttle.release();
  expect(await Promise.race([next, nextTurn()])).toBe(0);
});

test("a call whose deadline is the window's end waits for it, and one a millisecond earlier does not", async () => {
  let now = NOW;
  const sleep = async (ms: number) => {
    now += ms;
  };
  const tracker = new LimitTracker();
  tracker.update(new Headers(dayLeft(0)), NOW, NOW);
  const end = Number(tracker.limits.day?.resetAt);
  const throttle = new Throttle(tracker, { ...clock, now: () => now, sleep });
  expect(await throttle.acquire(end - 1)).toBe(end - NOW);
  expect(now).toBe(NOW);
  expect(await throttle.acquire(end)).toBe(0);
  expect(now).toBe(end);
});

describe("a signal", () => {
  const reason = new Error("not needed");

  test("that is aborted already ends a wait at once", async () => {
    await expect(realClock.sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  test("that is aborted during a request is why the call rejects", async () => {
    states(
      "client/README.md",
      "`signal` | An `AbortSignal` that cancels the call.",
      "Each call takes an `AbortSignal`. Aborting ends the request and any waiting, and rejects with the signal's reason:",
    );
    const controller = new AbortController();
    const fetch = async (_url: string, { signal }: RequestInit) => {
      controller.abort(reason);
      signal?.throwIfAborted();
      return new Response("[]");
    };
    const petstore = new PetstoreClient({ apiKey: "pets_live_x", fetch, clock, maxRetries: 0 });
    await expect(petstore.listPets({}, { signal: controller.signal })).rejects.toBe(reason);
  });
});

test.each([2 ** 53, -(2 ** 53), 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
  "the number %p is no exact integer",
  (value) => {
    expect(() => digitsOf(value)).toThrow(RangeError);
  },
);

test.each([2 ** 53 - 1, -(2 ** 53 - 1), 0, 2n ** 53n])("%p is an exact integer", (value) => {
  expect(digitsOf(value)).toBe(String(value));
});

test.each(["asc", "desc"] as const)("a link that does not lead on is an error, in order %s", async (order) => {
  const to = (after: number) => async () =>
    new Response("[]", { headers: { Link: `</v1/pets?limit=100&after=${after}&order=${order}>; rel="next"` } });
  const listed = (after: number) =>
    new PetstoreClient({ apiKey: "pets_live_x", fetch: to(after), clock }).listPets({ order, after: 7 });
  const [on, back] = order === "asc" ? [8, 6] : [6, 8];
  expect((await listed(on)).next).toMatchObject({ order, after: on });
  for (const after of [7, back]) await expect(listed(after)).rejects.toMatchObject({ code: "unexpected_response" });
});

test.each([
  ["asc", "desc"],
  ["desc", "asc"],
] as const)("a link from order %s to order %s is an error, on the first page too", async (order, other) => {
  const headers = { Link: `</v1/pets?limit=100&after=8&order=${other}>; rel="next"` };
  const petstore = new PetstoreClient({
    ...{ apiKey: "pets_live_x", clock },
    fetch: async () => new Response("[]", { headers }),
  });
  for (const after of [undefined, order === "asc" ? 7 : 9]) {
    await expect(petstore.listPets({ order, after })).rejects.toMatchObject({ code: "unexpected_response" });
  }
});

test.each([
  [{}, undefined],
  [{ Deprecation: "@1763596800" }, { since: new Date("2025-11-20T00:00:00Z") }],
  [{ Deprecation: "true" }, {}],
  [{ Sunset: "Thu, 05 Dec 2030 00:00:00 GMT" }, { sunset: new Date("2030-12-05T00:00:00Z") }],
  [
    { Deprecation: "@0", Sunset: "Thu, 05 Dec 2030 00:00:00 GMT" },
    { since: new Date(0), sunset: new Date("2030-12-05T00:00:00Z") },
  ],
  [
    { Sunset: "Thu, 05 Dec 2030 00:00:00 GMT", Link: '</v2/pets>; rel="successor-version"' },
    { sunset: new Date("2030-12-05T00:00:00Z"), successor: "/v2/pets" },
  ],
  [{ Link: '</v2/pets>; rel="successor-version"' }, undefined],
] as const)(
  "what %j says of an operation is reported once, if it is deprecated or will be removed",
  async (headers, said) => {
    const reported: unknown[] = [];
    const petstore = new PetstoreClient({
      ...{ apiKey: "pets_live_x", clock, onDeprecation: (event) => reported.push(event) },
      fetch: async () => new Response("[]", { headers: { ...headers } }),
    });
    for (let i = 0; i < 2; i++) await petstore.listPets({ ids: [1] }).catch(() => {});
    const nothing = { since: undefined, sunset: undefined, successor: undefined };
    expect(reported).toEqual(said === undefined ? [] : [{ operation: "listPets", ...nothing, ...said }]);
  },
);

test("a refusal by a limit without Retry-After asks for a second", async () => {
  const body = '{"code":"rate_limit_exceeded","message":"Too many","status":429}';
  const fetch = async () => new Response(body, { status: 429 });
  const petstore = new PetstoreClient({ apiKey: "pets_live_x", fetch, clock, maxRetries: 0 });
  await expect(petstore.listPets()).rejects.toMatchObject({ code: "rate_limit_exceeded", retryAfter: 1 });
});

test("following waits longer after each failure in a row, begins anew after a page, and can be aborted meanwhile", async () => {
  const delays: number[] = [];
  const signals = new Set<unknown>();
  const patient: Clock = {
    now: () => NOW,
    random: () => 1,
    sleep: async (ms, signal) => {
      delays.push(ms);
      signals.add(signal);
    },
  };
  const event = `[{"id":3,"type":"pet.deleted","at":"","subject":"pets/1","version":2,"data":{"id":1,"categoryId":1}}]`;
  const pages = [undefined, undefined, "[]", undefined, event];
  const fetch = async () => {
    const page = pages.shift();
    if (page === undefined) throw new TypeError("the connection is broken");
    return new Response(page);
  };
  const { signal } = new AbortController();
  const petstore = new PetstoreClient({ apiKey: "pets_live_x", fetch, clock: patient, maxRetries: 0 });
  for await (const { id } of petstore.events({ after: 2 }, { signal })) {
    expect(id).toBe(3);
    break;
  }
  expect(delays).toEqual([250, 500, 250]);
  expect([...signals]).toEqual([signal]);
});

test("of several reports the earliest end of a window holds", () => {
  const tracker = new LimitTracker();
  const report = (seconds: number) =>
    new Headers({ "RateLimit-Policy": '"day";q=100;w=86400', RateLimit: `"day";r=7;t=${seconds}` });
  tracker.update(report(100), NOW, NOW + 900);
  expect(tracker.limits.day?.resetAt.getTime()).toBe(NOW + 100_900);
  tracker.update(report(99), NOW + 1_000, NOW + 1_010);
  expect(tracker.limits.day?.resetAt.getTime()).toBe(NOW + 100_010);
  tracker.update(report(99), NOW + 1_020, NOW + 1_900);
  expect(tracker.limits.day?.resetAt.getTime()).toBe(NOW + 100_010);
});

test("the time of the client goes on while the clock of the machine is set", async () => {
  const began = realClock.now();
  try {
    for (const hours of [-3, 3]) {
      setSystemTime(began + hours * 3_600_000);
      expect(realClock.now()).toBeWithin(began, began + 1_000_000);
    }
  } finally {
    setSystemTime();
  }
});
