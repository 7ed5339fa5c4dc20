import { beforeAll, describe, expect, test } from "bun:test";
import type { Client } from "../../support/client.ts";
import { eventually } from "../../support/eventually.ts";
import { type Answer, KeepAliveConnection, requestText } from "../../support/keep-alive.ts";
import { type KeyOptions, type RunningService, START } from "../../support/service.ts";
import { useKey, useOperator, useService } from "../../support/use-service.ts";

const PAGE = "/v1/pets?limit=2";
/** The minute of the clock of the services. */
const MINUTE = Math.floor(START / 60_000) * 60_000;
const SHOP = "https://shop.example.com";
/** One more than the limits of the keys allow: the last one is refused. */
const REQUESTS = 4;
const LIMITED: KeyOptions = { limits: { perMinute: REQUESTS - 1, perDay: 10 } };
/** A header that changes no response, but takes a request out of the ordinary case: it announces a body. */
const USUAL_WAY = { "Content-Length": "0" };

/** Requests for a page that is cached, by what is particular about their heads. */
const HEADS: [string, Record<string, string>, KeyOptions?][] = [
  ["nothing", {}],
  ["an id", { "X-Request-Id": "mine-1" }],
  ["an id that is not accepted", { "x-request-id": "not mine" }],
  ["two ids", { "X-Request-Id": "one", "x-Request-ID": "two" }],
  ["the current ETag", { "If-None-Match": "current" }],
  ["the current ETag among others", { "If-None-Match": 'W/"v1", current' }],
  ["another ETag", { "If-None-Match": '"v1"' }],
  ["a connection that stays", { Connection: "Keep-Alive" }],
  ["a connection that closes", { Connection: "close" }],
  ["an origin", { Origin: SHOP }],
  ["another origin", { Origin: "https://other.example.com" }],
  ["a simulation", { "Petstore-Simulate": "pet_not_found" }],
  ["a key without the scope", {}, { scopes: ["orders:read"] }],
  ["a key that expires", {}, { expiresAt: Date.UTC(2030, 0, 1) }],
];

/** What requests read, whether or not the URL leads there as it is. */
const TARGETS = [
  "/v1/pets?limit=1&after=1",
  "/v1/pets?ids=1,999999",
  "/v1/pets?name=R%65x",
  "/v1/pets?name=\"'<>|^`{}\\",
  "/v1/pets?name=%ff",
  "/v1/pets?limit=0&limit=2",
  "/v1/pets?limit=2#fragment",
  "/v1/pets/1",
  "/v1/pets/1?limit=x",
  "/v1/pets/1#2",
  "/v1/pets/%31",
  "/v1/pets/./1",
  "/v1/pets/1/../2",
  "/v1/pets/%2e%2e/pets",
  "/v1/pets/01",
  "/v1/pets/999999",
  "/v1/pets/",
  "/v1//pets",
  "/v1",
  "/v1/cats",
  "/v1/categories?limit=1",
  "/v1/categories/-7",
  "/v1/categories/8",
  "/v1/store/orders?status=placed",
  "/v1/store/orders/1",
  "/v1/store/orders/999999",
  "/v1/store/inventory",
  "/v1/usage",
  "http://other.example.com/v1/pets/1",
];

/** The status line and the headers, in any order, without what differs between any two responses. */
function comparable({ head, body }: Answer) {
  const lines = head.split("\r\n").filter((line) => !/^date:/i.test(line));
  return {
    head: lines.map((line) => line.replace(/^(x-request-id: )[\da-f]{8}-[\da-f-]{27}$/i, "$1new")).sort(),
    body,
  };
}

/** Sends the request so many times, each on a connection of its own. */
async function send(
  to: RunningService,
  secret: string,
  headers: Record<string, string>,
  times: number,
  target: string = PAGE,
) {
  const answers: Answer[] = [];
  for (let i = 0; i < times; i++) {
    const connection = await KeepAliveConnection.open(to.url);
    answers.push(await connection.request(requestText("GET", target, secret, undefined, headers)));
    connection.close();
  }
  return answers;
}

/** Returns the requests of a key as they were counted, and as the history has them without what differs between any two. */
async function recordedOf(to: RunningService, id: string, operator: Client) {
  const counted = async () =>
    (await to.stores.usage.usageOf(id, { minute: [MINUTE] })).map(({ who: _, ...row }) => row);
  await eventually(async () => (await counted()).flatMap(({ counts }) => counts).reduce(sum, 0) === REQUESTS);
  const { body } = await operator.get(`/admin/v1/requests?keyId=${id}`);
  const own = ["id", "requestId", "keyId", "duration"];
  const requests: object[] = body.requests.map((request: object) =>
    Object.fromEntries(Object.entries(request).filter(([name]) => !own.includes(name))),
  );
  const { callers } = (await operator.get("/admin/v1/deprecations/callers?limit=100")).body;
  const calls = callers.find(({ keyId }: { keyId: string }) => keyId === id)?.calls;
  return { counted: await counted(), requests, calls };
}

const sum = (a: number, b: number) => a + b;

const production = useService();
const staging = useService({ env: { PETSTORE_DEPLOYMENT: "staging", PETSTORE_CORS_ORIGINS: SHOP } });

describe.each([
  ["on production", production],
  ["on staging, with origins", staging],
])("%s, a request in the ordinary case is answered and recorded as on the usual way, with", (_, service) => {
  const { client: admin } = useOperator(service);
  const { key, client } = useKey(service);
  const pairs: [string, string][] = [];
  let etag = "";

  beforeAll(async () => {
    for (let i = 0; i < 3; i++) await client.post("/v1/pets", { name: "Rex", categoryId: i });
    etag = (await client.get(PAGE)).headers.get("ETag") ?? "";
    await client.put("/v1/categories/-7", { name: "Lizards" });
    await client.post("/v1/store/orders", { petId: 3 });
  });

  test.each(HEADS)("%s", async (_, head, options = {}) => {
    const headers = Object.fromEntries(
      Object.entries(head).map(([name, value]) => [name, value.replace("current", etag)]),
    );
    const [one, other] = [
      await service.createKey({ ...LIMITED, ...options }),
      await service.createKey({ ...LIMITED, ...options }),
    ];
    // A new key empties the cache, which has a page from its second request.
    await send(service, key.secret, {}, 2);
    const ordinary = await send(service, one.secret, headers, REQUESTS);
    const usual = await send(service, other.secret, { ...headers, ...USUAL_WAY }, REQUESTS);
    expect(ordinary.map(comparable)).toEqual(usual.map(comparable));
    pairs.push([one.id, other.id]);
  });

  test.each(TARGETS)("the target %s", async (target) => {
    const [one, other] = [await service.createKey(LIMITED), await service.createKey(LIMITED)];
    const ordinary = await send(service, one.secret, {}, REQUESTS, target);
    const usual = await send(service, other.secret, USUAL_WAY, REQUESTS, target);
    expect(ordinary.map(comparable)).toEqual(usual.map(comparable));
    pairs.push([one.id, other.id]);
  });

  test("all of these", async () => {
    for (const [one, other] of pairs) {
      const recorded = await recordedOf(service, one, admin);
      expect(recorded.requests).toHaveLength(REQUESTS);
      expect(recorded).toEqual(await recordedOf(service, other, admin));
    }
  });
});

test("a key with a simulation gets its answer in place of a cached page", async () => {
  const { id, secret } = await staging.createKey();
  await staging.changeKey((keys) => keys.simulate(id, { answer: "service_unavailable", every: 1 }, staging.now));
  const [client, other] = [staging.withSecret(secret), await staging.withKey()];
  expect((await client.get(PAGE)).status).toBe(503);
  for (let i = 0; i < 3; i++) expect((await other.get(PAGE)).status).toBe(200);
  expect((await client.get(PAGE)).status).toBe(503);
});

describe("in the ordinary case", () => {
  const service = production;
  const { client: admin } = useOperator(service);
  const { client: other } = useKey(service);
  /** Has the service cache the page, and the key that it returns. */
  async function warm(options: KeyOptions = {}) {
    const key = await service.createKey(options);
    const client = service.withSecret(key.secret);
    for (let i = 0; i < 3; i++) expect((await client.get(PAGE)).status).toBe(200);
    return { ...key, client };
  }

  test("a key is refused from the moment at which it expires", async () => {
    const expiresAt = service.now + 1_000;
    const { client } = await warm({ expiresAt });
    await service.setClock(expiresAt - 1);
    expect((await client.get(PAGE)).status).toBe(200);
    await service.setClock(expiresAt);
    expect((await client.get(PAGE)).status).toBe(401);
    expect((await other.get(PAGE)).status).toBe(200);
  });

  test("what another process removes is not on the page", async () => {
    const { client } = await warm();
    const [first] = (await client.get(PAGE)).body;
    await service.stores.pets.delete(BigInt(first.id));
    expect((await client.get(PAGE)).body[0].id).toBeGreaterThan(first.id);
  });

  test("a request that asks for more than the page gets what it asks for", async () => {
    const { secret, client } = await warm();
    expect((await client.get(PAGE, { "Petstore-Simulate": "pet_not_found" })).status).toBe(400);
    expect((await client.delete(PAGE)).status).toBe(405);
    await send(service, secret, {}, 2);
    const [twoHosts] = await send(service, secret, { Host: "other.example.com" }, 1);
    expect(twoHosts?.status).toBe(400);
    const [closing] = await send(service, secret, { Connection: "close" }, 1);
    expect(closing?.head).toMatch(/^connection: close$/im);
  });

  test("HEAD is recorded as such", async () => {
    const { id, client } = await warm();
    await client.request(PAGE, { method: "HEAD" });
    const { body } = await admin.get(`/admin/v1/requests?keyId=${id}`);
    expect(body.requests.map(({ method }: { method: string }) => method)).toEqual(["HEAD", "GET", "GET", "GET"]);
  });

  test("DELETE without a body removes what GET reads", async () => {
    const { secret, client } = await warm();
    const { body } = await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
    const connection = await KeepAliveConnection.open(service.url);
    const { status } = await connection.request(requestText("DELETE", `/v1/pets/${body.id}`, secret, undefined));
    connection.close();
    expect(status).toBe(204);
  });

  test("the last use of a key is recorded", async () => {
    // Its first request opens a window that ends before a minute has passed, because windows end on whole seconds.
    const { id, client } = await warm();
    const first = service.now;
    await service.setClock(first + 59_999);
    await client.get(PAGE);
    await service.setClock(first + 60_000);
    await client.get(PAGE);
    await eventually(async () => (await service.stores.keys.get(id))?.key.lastUsedAt === first + 60_000);
  });
});
