import { beforeAll, describe, expect, test } from "bun:test";
import type { ServerResponse } from "node:http";
import { states } from "../../../test/support/markdown.ts";
import { useService } from "../../../test/support/use-service.ts";
import { realClock } from "../../src/clock.ts";
import {
  type Clock,
  ConnectionError,
  PetstoreClient,
  RateLimitError,
  type RetryEvent,
  ServiceError,
} from "../../src/main.ts";
import { startGateway } from "../support/gateway.ts";
import { petstoreOf } from "../support/petstore.ts";

const REX = { name: "Rex", categoryId: 1 };

const service = useService();
let port: number;
beforeAll(async () => {
  port = Number(new URL(service.url).port);
});

/** A clock whose sleeps end at once. */
function swiftClock(random = 1): Clock & { slept: number[] } {
  let now = Date.now();
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    random: () => random,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      slept.push(ms);
      now += ms;
    },
  };
}

const answering =
  (status: number, headers: Record<string, string> = {}) =>
  (answer: ServerResponse) => {
    answer.writeHead(status, headers).end("<html>trouble</html>");
    return true;
  };

/** The first `times` requests get this response, the others reach the service. */
const atFirst =
  (times: number, answer: (response: ServerResponse) => boolean) => (response: ServerResponse, count: number) =>
    count <= times && answer(response);

test.each([408, 429, 500, 502, 503, 504])(
  "status %d is retried, with doubling delays and an event for each",
  async (status) => {
    states("client/README.md", "below a bound that starts at 250 ms and doubles");
    states("docs/proxies.md", "The client repeats the errors of a gateway.");
    const gateway = await startGateway(port, atFirst(3, answering(status)));
    const clock = swiftClock(0.999);
    const events: RetryEvent[] = [];
    const petstore = await petstoreOf(service, { baseUrl: gateway.url, clock, onRetry: (event) => events.push(event) });
    expect((await petstore.createPet(REX)).name).toBe("Rex");
    expect(gateway.arrivals).toHaveLength(4);
    const floor = status === 429 ? 1000 : 0;
    expect(clock.slept.map((ms) => Math.round(ms - floor))).toEqual([250, 500, 999]);
    expect(events.map(({ retry, error, delay }) => [retry, error.status, delay])).toEqual(
      clock.slept.map((ms, index) => [index + 1, status, ms]),
    );
    // Each attempt has the same idempotency key, and its own request id.
    const keys = new Set(gateway.arrivals.map(({ headers }) => headers["idempotency-key"]));
    const ids = new Set(gateway.arrivals.map(({ headers }) => headers["x-request-id"]));
    expect([keys.size, ids.size]).toEqual([1, 4]);
    gateway.close();
    states(
      "client/README.md",
      "The client retries failed connections, requests that took longer than `timeout`, 408, 429, 5xx, and a creation that is still being processed, up to `maxRetries` times.",
    );
  },
);

test.each([301, 400, 401, 403, 404, 407, 422])("status %d is not", async (status) => {
  states(
    "docs/idempotency.md",
    "Repeat what got no response, a 5xx or a `Retry-After`, and nothing else: a 409 `pet_not_available`, for example, stays the same.",
  );
  states(
    "docs/proxies.md",
    "That the proxy asks for a password is a `ConnectionError` with its status, which the client does not repeat.",
    "The client follows no redirect, so that the key goes to the service alone. Set `baseUrl` to the last address.",
  );
  const gateway = await startGateway(port, answering(status, { Location: "http://127.0.0.1:1/" }));
  const petstore = await petstoreOf(service, { baseUrl: gateway.url, clock: swiftClock() });
  await expect(petstore.listPets()).rejects.toMatchObject({
    name: "ConnectionError",
    code: "unexpected_response",
    status,
    message: `The response of ${gateway.url}/pets has status ${status} and is not from the service.`,
  });
  expect(gateway.arrivals).toHaveLength(1);
  gateway.close();
});

test("an unknown code of a newer service is passed on with its message", async () => {
  states("docs/quick-start.md", "Decide by the `code` of an error, never by its message: Errors.");
  const body = JSON.stringify({ code: "out_of_hay", message: "There is no hay.", status: 424 });
  const gateway = await startGateway(port, (answer) => Boolean(answer.writeHead(424).end(body)));
  const petstore = await petstoreOf(service, { baseUrl: gateway.url });
  const error = await petstore.listPets().catch((reason) => reason);
  expect(error).toMatchObject({ name: "PetstoreError", code: "out_of_hay", message: "There is no hay.", status: 424 });
  gateway.close();
});

test("an infinite budget does not end", async () => {
  const petstore = await petstoreOf(service, { timeout: Number.POSITIVE_INFINITY, budget: Number.POSITIVE_INFINITY });
  expect((await petstore.createPet(REX)).name).toBe("Rex");
});

test("delays and time-outs are whole milliseconds, in events and in messages", async () => {
  const delays: number[] = [];
  let now = 1_800_000_000_000.5;
  const clock = {
    now: () => now,
    random: () => 0.506103515625,
    sleep: async (ms: number) => {
      now += ms + 0.25;
    },
  };
  const fetch = (_: string, { signal }: RequestInit) =>
    new Promise<Response>((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  const onRetry = ({ delay }: { delay: number }) => delays.push(delay);
  const petstore = new PetstoreClient({ apiKey: "pets_live_x", fetch, clock, onRetry, waitForLimits: false });
  const call = petstore.listPets({}, { timeout: 30, budget: 150.7, maxRetries: 2 });
  await expect(call).rejects.toThrow(/ did not respond within \d+ ms\.$/);
  expect(delays.length).toBeGreaterThan(0);
  expect(delays.filter((delay) => !Number.isInteger(delay))).toEqual([]);
});

test("the jitter is full: delays from 0 to a bound, which stops growing", async () => {
  states(
    "client/README.md",
    "Pass a `clock`, and nothing waits:",
    "| `clock` | the real one | Time and randomness, for tests. |",
  );
  states("client/README.md", "The delay is random,", "up to 30 s,");
  states("docs/testing.md", "| Repeats after `Retry-After`, with growing pauses and a bound.");
  const gateway = await startGateway(port, answering(502));
  for (const [random, bound] of [
    [0, 0],
    [0.5, 15_000],
    [1, 30_000],
  ] as const) {
    const clock = swiftClock(random);
    const petstore = await petstoreOf(service, { baseUrl: gateway.url, clock, maxRetries: 12 });
    await expect(petstore.listPets()).rejects.toBeInstanceOf(ServiceError);
    expect(clock.slept).toHaveLength(12);
    expect(Math.max(...clock.slept)).toBe(bound);
  }
  gateway.close();
});

describe("never before Retry-After", () => {
  test("is what the documents say", () => {
    states("client/README.md", "and never shorter than `Retry-After`.");
    states("docs/testing.md", "| Waits for the seconds in `Retry-After`, then repeats.");
  });
  test.each([
    ["seconds", () => ({ "Retry-After": "42" }), 42_000],
    [
      "a date by the clock of the response",
      () => ({ Date: "Sat, 21 Nov 2026 10:00:00 GMT", "Retry-After": "Sat, 21 Nov 2026 10:01:00 GMT" }),
      60_000,
    ],
    [
      "a date in the past",
      () => ({ Date: "Sat, 21 Nov 2026 10:00:00 GMT", "Retry-After": "Sat, 21 Nov 2026 09:00:00 GMT" }),
      0,
    ],
    ["nonsense", () => ({ "Retry-After": "soon" }), 0],
  ])("%s", async (_form, headers, atLeast) => {
    const gateway = await startGateway(port, atFirst(1, answering(503, headers())));
    const clock = swiftClock(0.5);
    const petstore = await petstoreOf(service, { baseUrl: gateway.url, clock });
    await petstore.listPets();
    expect(clock.slept).toEqual([atLeast + 125]);
    gateway.close();
  });

  test("in real time", async () => {
    const gateway = await startGateway(port, atFirst(1, answering(503, { "Retry-After": "1" })));
    await (await petstoreOf(service, { baseUrl: gateway.url })).listPets();
    const [first, second] = gateway.arrivals;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1000);
    gateway.close();
  });
});

describe("the budget", () => {
  test("ends the retries before it would be exceeded", async () => {
    states(
      "client/README.md",
      "A call takes at most `budget` in total; if it would have to wait longer, it fails at once.",
    );
    const gateway = await startGateway(port, answering(503, { "Retry-After": "10" }));
    const clock = swiftClock(0);
    const petstore = await petstoreOf(service, { baseUrl: gateway.url, clock, budget: 35_000, maxRetries: 100 });
    await expect(petstore.listPets()).rejects.toMatchObject({ status: 503, retryAfter: 10 });
    expect(clock.slept).toEqual([10_000, 10_000, 10_000]);
    gateway.close();
  });

  test("makes calls that would have to wait until tomorrow fail at once, unsent", async () => {
    states(
      "client/README.md",
      "A wait that would exceed `budget` (ten minutes by default) is a `RateLimitError` at once, without a request: so a program stops when its limit per day is used up.",
    );
    states(
      "docs/testing.md",
      '| The day\'s requests are used up | `fail.next("quota_exceeded")` | Stops until the reset, which may be hours away, and reports it.',
    );
    const { secret } = await service.createKey({ limits: { perMinute: 10, perDay: 2 } });
    const gateway = await startGateway(port, () => false);
    const petstore = await petstoreOf(service, { apiKey: secret, baseUrl: gateway.url });
    await petstore.listPets();
    await petstore.listPets();
    for (let i = 0; i < 3; i++) {
      const error = await petstore.listPets().catch((reason) => reason);
      expect(error).toBeInstanceOf(RateLimitError);
      expect(error).toMatchObject({ code: "quota_exceeded", status: 429 });
      expect(error.retryAfter).toBeWithin(86_000, 86_403);
    }
    expect(gateway.arrivals).toHaveLength(2);
    gateway.close();
    states(
      "client/README.md",
      "if it would have to wait longer, it fails at once.",
      "is a `RateLimitError` at once, without a request",
    );
  });
});

test("maxRetries ends the retries with the last error", async () => {
  const gateway = await startGateway(port, answering(500));
  for (const maxRetries of [0, 2]) {
    gateway.arrivals.length = 0;
    const petstore = await petstoreOf(service, { baseUrl: gateway.url, clock: swiftClock(), maxRetries });
    await expect(petstore.listPets()).rejects.toMatchObject({ name: "ServiceError", status: 500 });
    expect(gateway.arrivals).toHaveLength(maxRetries + 1);
  }
  gateway.close();
  states("client/README.md", "After the last retry the call rejects with the last error.");
});

test("a request without a response times out and is retried", async () => {
  states("docs/testing.md", '| The answer is late | `fail.next("delay=30000")` | Gives up after its own time-out.');
  const gateway = await startGateway(port, (_answer, count) => count === 1);
  const petstore = await petstoreOf(service, { baseUrl: gateway.url, clock: swiftClock(), timeout: 1_000 });
  await petstore.createPet(REX);
  const errors: unknown[] = [];
  const silent = await startGateway(port, () => true);
  const hopeless = await petstoreOf(service, {
    baseUrl: silent.url,
    clock: swiftClock(),
    timeout: 50,
    maxRetries: 1,
    onRetry: ({ error }) => errors.push(error),
  });
  const error = await hopeless.listPets().catch((reason) => reason);
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ code: "timed_out", status: 0 });
  expect(errors).toHaveLength(1);
  gateway.close();
  silent.close();
});

test("a request with an incomplete response is retried, and the pet is added once", async () => {
  const whole = JSON.stringify({ id: 1, name: "Rex", categoryId: 1, status: "available" });
  const gateway = await startGateway(port, (answer, count) => {
    if (count > 2) return false;
    answer.writeHead(201, { "Content-Length": whole.length, "Content-Type": "application/json" });
    answer.write(whole.slice(0, 20), () => answer.destroy());
    return true;
  });
  const petstore = await petstoreOf(service, { baseUrl: gateway.url, clock: swiftClock() });
  expect((await petstore.createPet({ ...REX, name: "Cut off" })).name).toBe("Cut off");
  expect(gateway.arrivals).toHaveLength(3);
  gateway.close();
});

test("without a server the last error says which connection failed, and why", async () => {
  states(
    "client/README.md",
    "`ConnectionError` | 0, or that of a response that is not the service's | No response, a time-out, or another server. | `cause`; the message names the address and the reason |",
  );
  const petstore = await petstoreOf(service, { baseUrl: "http://127.0.0.1:1/v1", clock: swiftClock(), maxRetries: 2 });
  const error = await petstore.listPets().catch((reason) => reason);
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ code: "connection_failed", status: 0 });
  expect(error.message).toStartWith("The connection to http://127.0.0.1:1/v1/pets failed: ");
  expect(error.message).toEndWith(error.cause.message);
  expect(error.cause).toBeInstanceOf(Error);
  expect(error.requestId).toEndWith("-3");
});

test("an error without a message, as Node has for a refused connection, is shown by its code", async () => {
  const refused = Object.assign(new AggregateError([]), { code: "ECONNREFUSED" });
  const petstore = await petstoreOf(service, {
    fetch: () => Promise.reject(new TypeError("fetch failed", { cause: refused })),
    maxRetries: 0,
  });
  await expect(petstore.listPets()).rejects.toThrow(/ failed: ECONNREFUSED$/);
});

test("a creation that is still in progress is retried until it is done, and returns the same pet", async () => {
  const codes: string[] = [];
  const petstore = await petstoreOf(service, {
    maxRetries: 1_000,
    clock: { ...realClock, sleep: () => Bun.sleep(5) },
    onRetry: ({ error }) => codes.push(error.code),
  });
  await using other = await service.store.connect();
  await other.lockPets();
  const options = { idempotencyKey: "the same" };
  const both = Promise.all([
    petstore.createPet(REX),
    petstore.createPet(REX, options),
    petstore.createPet(REX, options),
  ]);
  while (!codes.includes("idempotency_in_progress")) await Bun.sleep(5);
  await other.run("COMMIT");
  const [separate, first, second] = await both;
  expect(second).toEqual(first);
  expect(separate.id).not.toBe(first.id);
});

describe("an AbortSignal ends", () => {
  const reason = new Error("changed my mind");

  test("a request in flight", async () => {
    states("client/README.md", "| `signal` | An `AbortSignal` that cancels the call. |");
    const silent = await startGateway(port, () => true);
    const petstore = await petstoreOf(service, { baseUrl: silent.url });
    const controller = new AbortController();
    const call = petstore.listPets({}, { signal: controller.signal });
    while (silent.arrivals.length === 0) await Bun.sleep(1);
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(silent.arrivals).toHaveLength(1);
    silent.close();
    states("client/README.md", "Aborting ends the request and any waiting, and rejects with the signal's reason:");
  });

  test("the wait before a retry", async () => {
    const gateway = await startGateway(port, answering(503, { "Retry-After": "60" }));
    const controller = new AbortController();
    const petstore = await petstoreOf(service, {
      baseUrl: gateway.url,
      onRetry: () => queueMicrotask(() => controller.abort(reason)),
    });
    await expect(petstore.createPet(REX, { signal: controller.signal })).rejects.toBe(reason);
    gateway.close();
  });

  test("the wait for the limits, while other calls go on waiting", async () => {
    const { secret } = await service.createKey({ limits: { perMinute: 1, perDay: 100 } });
    const controller = new AbortController();
    const petstore = await petstoreOf(service, { apiKey: secret });
    await petstore.listPets();
    const call = petstore.listPets({}, { signal: controller.signal });
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  test("a call before it is sent", async () => {
    const petstore = await petstoreOf(service);
    await expect(petstore.listPets({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await expect(petstore.pets({}, { signal: AbortSignal.abort(reason) }).next()).rejects.toBe(reason);
  });
});
