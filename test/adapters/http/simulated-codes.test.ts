import { beforeAll, describe, expect, test } from "bun:test";
import { type PublicErrorCode, publicErrors } from "../../../src/domain/errors.ts";
import { newSecret } from "../../../src/domain/keys/secret.ts";
import { noActivity } from "../../../src/domain/keys/store.ts";
import { Connection } from "../../attack/connection.ts";
import type { WireAnswer } from "../../attack/wire.ts";
import { changedStates } from "../../support/changed-states.ts";
import { states } from "../../support/markdown.ts";
import { type KeyOptions, type RunningService, startService } from "../../support/service.ts";
import { useService } from "../../support/use-service.ts";

const STAGING = { env: { PETSTORE_DEPLOYMENT: "staging" } };
const SUNSET = Date.UTC(2030, 11, 5);
/** In ms. */
const SOON = 10_000;

const service = useService(STAGING);

type Request = { method: string; path: string; body?: string; headers?: Record<string, string> };

/** How an error is provoked, and a request that is answered otherwise unless it is simulated. */
type Case = {
  real: Request;
  rehearsed: Request;
  key?: KeyOptions;
  /** Returns the secret for the real request. */
  prepare?: () => Promise<string>;
};

const get = (path: string, headers: Record<string, string> = {}): Request => ({ method: "GET", path, headers });
const post = (path: string, body: unknown, headers: Record<string, string> = {}): Request => ({
  method: "POST",
  path,
  body: typeof body === "string" ? body : JSON.stringify(body),
  headers: { "Content-Type": "application/json", ...headers },
});
const patch = (path: string, body: unknown, headers = {}): Request => ({
  ...post(path, body, headers),
  method: "PATCH",
});
const remove = (path: string): Request => ({ method: "DELETE", path });

const REX = { name: "Rex", categoryId: 1 };
const ADDED = post("/v1/pets", REX);
const LISTED = get("/v1/pets");
const LARGE = post("/v1/pets", JSON.stringify({ name: "x".repeat(70_000) }));
const ONE: KeyOptions = { limits: { perMinute: 1, perDay: 5 } };
const ONE_A_DAY: KeyOptions = { limits: { perMinute: 5, perDay: 1 } };

/** The pet 1 is sold, the order 1 holds the pet 2, the pets 3 and 4 are available; the category 1 has pets, 2 has none. */
beforeAll(async () => {
  const { secret } = await service.createKey();
  for (const each of [
    post("/v1/categories", { name: "Dogs" }),
    post("/v1/categories", { name: "Cats" }),
    post("/v1/pets", { ...REX, status: "sold" }),
    ...[ADDED, ADDED, ADDED],
    post("/v1/store/orders", { petId: 2 }),
  ]) {
    expect((await send(service, secret, each)).status).toBe(201);
  }
});

const cases: Record<Exclude<PublicErrorCode, "internal_error" | "request_header_too_large">, Case> = {
  invalid_json: { real: post("/v1/pets", "{"), rehearsed: ADDED },
  validation_failed: { real: post("/v1/pets", {}), rehearsed: ADDED },
  invalid_parameter: { real: get("/v1/pets?limit="), rehearsed: LISTED },
  missing_api_key: { real: LISTED, rehearsed: LISTED, prepare: async () => "" },
  invalid_api_key: { real: LISTED, rehearsed: LISTED, prepare: async () => newSecret("staging") },
  expired_api_key: {
    ...{ real: LISTED, rehearsed: LISTED },
    prepare: async () => (await service.createKey({ expiresAt: service.now })).secret,
  },
  revoked_api_key: {
    ...{ real: LISTED, rehearsed: LISTED },
    prepare: () => changed((id) => service.changeKey((keys) => keys.revoke(id, service.now))),
  },
  disabled_api_key: {
    ...{ real: LISTED, rehearsed: LISTED },
    prepare: () => changed((id) => service.changeKey((keys) => keys.update(id, { disabled: true }, service.now))),
  },
  insufficient_scope: {
    ...{ real: LISTED, rehearsed: LISTED },
    prepare: async () => (await service.createKey({ scopes: ["pets:write"] })).secret,
  },
  pet_not_found: { real: remove("/v1/pets/999"), rehearsed: remove("/v1/pets/3") },
  category_not_found: { real: get("/v1/categories/999"), rehearsed: get("/v1/categories/1") },
  order_not_found: { real: get("/v1/store/orders/999"), rehearsed: get("/v1/store/orders/1") },
  not_found: { real: get("/v1/nothing"), rehearsed: get("/v1/store/inventory") },
  method_not_allowed: { real: { method: "PUT", path: "/v1/pets" }, rehearsed: LISTED },
  idempotency_in_progress: {
    real: post("/v1/pets", REX, { "Idempotency-Key": "slow" }),
    rehearsed: post("/v1/pets", REX, { "Idempotency-Key": "new" }),
  },
  invalid_transition: { real: patch("/v1/pets/1", { status: "pending" }), rehearsed: patch("/v1/pets/3", {}) },
  pet_reserved: { real: remove("/v1/pets/2"), rehearsed: remove("/v1/pets/3") },
  pet_not_available: {
    real: post("/v1/store/orders", { petId: 2 }),
    rehearsed: post("/v1/store/orders", { petId: 3 }),
  },
  category_exists: {
    real: post("/v1/categories", { name: "dogs" }),
    rehearsed: post("/v1/categories", { name: "Birds" }),
  },
  category_in_use: { real: remove("/v1/categories/1"), rehearsed: remove("/v1/categories/2") },
  position_expired: {
    real: get("/v1/events?after=1"),
    rehearsed: get("/v1/events"),
    prepare: async () => {
      await service.stores.events.prune({ since: Infinity, most: 1 }, 100);
      return (await service.createKey()).secret;
    },
  },
  operation_removed: { real: get("/v1/pets/1"), rehearsed: get("/v1/pets/1") },
  precondition_failed: { real: patch("/v1/pets/3", {}, { "If-Match": '"v9"' }), rehearsed: patch("/v1/pets/3", {}) },
  payload_too_large: { real: LARGE, rehearsed: LARGE },
  unsupported_media_type: { real: post("/v1/pets", REX, { "Content-Type": "text/plain" }), rehearsed: ADDED },
  idempotency_key_reused: {
    real: post("/v1/pets", { ...REX, name: "Mia" }, { "Idempotency-Key": "used" }),
    rehearsed: post("/v1/pets", REX, { "Idempotency-Key": "new" }),
    prepare: async () => {
      const { secret } = await service.createKey();
      await send(service, secret, post("/v1/pets", REX, { "Idempotency-Key": "used" }));
      return secret;
    },
  },
  rate_limit_exceeded: { real: LISTED, rehearsed: LISTED, key: ONE, prepare: () => spent(ONE) },
  quota_exceeded: { real: LISTED, rehearsed: LISTED, key: ONE_A_DAY, prepare: () => spent(ONE_A_DAY) },
  key_banned: { real: LISTED, rehearsed: LISTED, key: ONE, prepare: () => beforeBan(ONE) },
  service_unavailable: { real: ADDED, rehearsed: ADDED },
};

/** What must be there at the time of the real request alone. */
const circumstances: Partial<Record<PublicErrorCode, (ask: () => Promise<WireAnswer>) => Promise<WireAnswer>>> = {
  operation_removed: async (ask) => {
    const before = service.now;
    await service.setClock(SUNSET);
    const answer = await ask();
    await service.setClock(before);
    return answer;
  },
  idempotency_in_progress: whileLocked,
  service_unavailable: whileLocked,
};

describe("a simulated response is the real one, in each header and byte:", () => {
  test("is what the documents say", () => {
    states(
      "docs/rehearsal.md",
      "The response is the one that this code really gets, in each header and byte:",
      "Each simulated response has `Petstore-Simulated`, with what was simulated.",
      "an error code, such as `quota_exceeded` | The response is that error.",
    );
    states(
      "docs/errors.md",
      "Each error has the same body, `application/json`.",
      "Retry unchanged what has `Retry-After`: 429, 503 and `idempotency_in_progress`.",
    );
  });
  test.each(Object.keys(cases) as (keyof typeof cases)[])("%s", async (code) => {
    states("README.md", "On staging your program rehearses each error,");
    const { real, rehearsed, key = {}, prepare } = cases[code];
    const methods = real.method === "GET" ? ["GET", "HEAD"] : [undefined];
    for (const method of methods) {
      const own = await service.createKey(key);
      const secret = (await prepare?.()) ?? own.secret;
      const ask = () => send(service, secret, { ...real, ...(method && { method }) });
      const expected = await (circumstances[code]?.(ask) ?? ask());
      if (method !== "HEAD") expect(JSON.parse(expected.body).code).toBe(code);
      const answer = await send(service, own.secret, simulating(code, { ...rehearsed, ...(method && { method }) }));
      expect(answer.headers.get("Petstore-Simulated")).toBe(code);
      const passes = [429, 503].includes(answer.status) || code === "idempotency_in_progress";
      expect(answer.headers.has("Retry-After")).toBe(passes);
      expect(comparable(answer)).toEqual(comparable(expected));
    }
  });

  test("internal_error", async () => {
    await using damaged = await startService(STAGING);
    const { id, secret } = await damaged.createKey();
    const { secret: other } = await damaged.createKey();
    const window = { count: 0, resetAt: 0 };
    const ban = { since: damaged.now, until: 9e15, step: 0 };
    const state = { minute: window, day: window, banState: { strikes: [], ban } };
    await damaged.stores.counters.save(changedStates({ [id]: state }), noActivity());
    await damaged.kill();
    await damaged.start();
    const expected = await send(damaged, secret, get("/v1/usage"));
    expect(JSON.parse(expected.body).code).toBe("internal_error");
    const answer = await send(damaged, other, simulating("internal_error", get("/v1/usage")));
    expect(comparable(answer)).toEqual(comparable(expected));
    // Only the real one is reported.
    const reported = damaged.output.filter((line) => line.includes("The service failed"));
    expect(reported).toHaveLength(1);
  });

  test("request_header_too_large, of a request whose headers are not read", async () => {
    const { secret } = await service.createKey();
    const answer = await send(service, secret, simulating("request_header_too_large", LISTED));
    expect(answer.status).toBe(431);
    expect(answer.headers.get("Petstore-Simulated")).toBe("request_header_too_large");
    expect(answer.headers.get("X-Request-Id")).toBe("id-1");
    const expected = await send(service, secret, get("/v1/pets", { "X-Large": "x".repeat(20_000) }));
    expect(expected.status).toBe(431);
    expect(comparable(answer)).toEqual(comparable(expected));
  });
  states("docs/rehearsal.md", "The response is the one that this code really gets, in each header and byte");
});

test("a simulated 401 shows the limit of the address, and takes nothing from it", async () => {
  states(
    "docs/rehearsal.md",
    "But it counts for your key alone: a 401 shows the limit of your address, and takes nothing from it.",
  );
  const { secret } = await service.createKey();
  const remaining = async (own: string) =>
    Number((await send(service, own, simulating("missing_api_key", LISTED))).headers.get("X-RateLimit-Remaining"));
  const before = await remaining(secret);
  expect(await remaining(secret)).toBe(before);
  await remaining("");
  expect(await remaining(secret)).toBe(before - 1);
});

test("a simulated error leaves open the connection that the real one ends", async () => {
  states(
    "docs/rehearsal.md",
    "And only what really ends a connection, such as a body that is too large, gets `Connection: close`.",
  );
  const { secret } = await service.createKey();
  const large = "payload_too_large";
  const answers = [
    await send(service, secret, simulating(large, ADDED)),
    await send(service, secret, simulating(large, LARGE)),
  ];
  expect(answers.map(({ status, headers }) => [status, headers.get("Connection")])).toEqual([
    [413, null],
    [413, "close"],
  ]);
});

test("each code of the list is among them", () => {
  const compared = [...Object.keys(cases), "internal_error", "request_header_too_large"];
  expect(compared.toSorted()).toEqual(Object.keys(publicErrors).toSorted());
});

function simulating(code: string, request: Request): Request {
  return { ...request, headers: { ...request.headers, "Petstore-Simulate": code } };
}

/** Sends a request on a connection of its own, which may be kept open. */
async function send(to: RunningService, secret: string, request: Request): Promise<WireAnswer> {
  const { method, path, body, headers = {} } = request;
  const all = {
    Host: "petstore.test",
    "X-Request-Id": "id-1",
    ...(secret !== "" && { Authorization: `Bearer ${secret}` }),
    ...(body !== undefined && { "Content-Length": String(body.length) }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const connection = await Connection.open(to.url);
  const answer = await connection.ask(method, `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body ?? ""}`, SOON);
  connection.close();
  if (answer === undefined) throw new Error("there was no answer");
  return answer;
}

/** A response without what differs from one request to the next. */
function comparable({ status, headers, body }: WireAnswer) {
  const numbered = ["x-ratelimit-remaining", "x-ratelimit-reset", "ratelimit"];
  const fields = [...headers]
    .filter(([name]) => !["date", "petstore-simulated"].includes(name))
    .filter(([name]) => status !== 431 || name !== "x-request-id")
    .map(([name, value]) => [name, numbered.includes(name) ? value.replaceAll(/\d+/g, "n") : value]);
  return { status, fields, body };
}

async function changed(change: (id: string) => Promise<unknown>): Promise<string> {
  const { id, secret } = await service.createKey();
  await change(id);
  return secret;
}

/** A key whose windows are used up. */
async function spent(options: KeyOptions): Promise<string> {
  const { secret } = await service.createKey(options);
  await send(service, secret, LISTED);
  return secret;
}

/** A key that the next refusal bans. */
async function beforeBan(options: KeyOptions): Promise<string> {
  const secret = await spent(options);
  await send(service, secret, LISTED);
  await service.advance({ seconds: 2 });
  for (let i = 1; i < 100; i++) await send(service, secret, LISTED);
  return secret;
}

/** While another process holds the lock of the pets, the first of two creations waits, in vain. */
async function whileLocked(ask: () => Promise<WireAnswer>): Promise<WireAnswer> {
  await using other = await service.store.connect();
  await other.lockPets();
  const first = ask();
  await new Promise((resolve) => setTimeout(resolve, 200));
  const second = await ask();
  await other.run("COMMIT");
  await first;
  return second;
}
