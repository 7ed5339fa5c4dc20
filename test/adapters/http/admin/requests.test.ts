import { describe, expect, test } from "bun:test";
import { RequestBuffer } from "../../../../src/adapters/history/buffer.ts";
import { Client } from "../../../support/client.ts";
import { describes } from "../../../support/descriptions.ts";
import { states } from "../../../support/markdown.ts";
import { START } from "../../../support/service.ts";
import { useKey, useOperator, useService } from "../../../support/use-service.ts";
import { requestOf } from "../../history/requests.ts";

type Refusal = { request: (headers: Record<string, string>) => Promise<unknown> };

const service = useService();
const { client: admin } = useOperator(service, "viewer");
const { client, key } = useKey(service, { plan: "free" });

const list = async (query = "") => (await admin.get(`/admin/v1/requests?${query}`)).body;
const find = async (requestId: string) => (await admin.get(`/admin/v1/requests/${requestId}`)).body.requests;

test("a request is found by the id that its response has", async () => {
  states(
    "docs/monitoring.md",
    "Time, request id, method, path, operation, status, error code, duration | Query, headers, bodies, responses",
    "What a rehearsal simulated | Client address, user agent",
  );
  describes("PastRequest", "without query, headers, bodies and address.");
  states(
    "docs/monitoring.md",
    "paste the `X-Request-Id` of its response",
    "Viewers may read it, too.",
    "The id of the key, and what the request left of its limits",
  );
  const requestId = (await client.get("/v1/pets?limit=1")).headers.get("X-Request-Id") ?? "";
  expect(await find(requestId)).toEqual([
    {
      id: expect.stringMatching(/^\d+_\d+-[0-9a-f]{8}-\d+_\d+$/),
      requestId,
      at: new Date(START).toISOString(),
      keyId: key.id,
      keyName: "test",
      operation: "listPets",
      method: "GET",
      path: "/v1/pets",
      status: 200,
      error: null,
      duration: expect.any(Number),
      simulated: null,
      limits: { minute: { limit: 60, remaining: 59 }, day: { limit: 1000, remaining: 999 } },
    },
  ]);
});

test("the requests of a key that is removed are found by its whole id", async () => {
  describes("PastRequest.keyName", "null without one, or if the key was removed from the store.");
  const id = "key_4kTn0aWq7JbYcX2z";
  const history = new RequestBuffer(service.stores.requests, "0a1b2c3d");
  history.record(requestOf({ at: START, keyId: id, requestId: "of-a-removed-key" }));
  await history.write();
  const found = async (text: string) => (await list(`key=${text}`)).requests;
  expect(await found(id)).toMatchObject([{ requestId: "of-a-removed-key", keyId: id, keyName: null }]);
  for (const other of [id.slice(4), id.toUpperCase(), `${id}0`, id.slice(0, -1)])
    expect([other, await found(other)]).toEqual([other, []]);
});

test("an id that a client sent is found, as often as it was sent", async () => {
  states("docs/monitoring.md", "When somebody asks what happened to a call, paste the `X-Request-Id` of its response:");
  describes("getRequest", "there are several if a client sent its own id again.");
  states(
    "docs/administration.md",
    "`GET /admin/v1/requests/{requestId}` | `requests` with this id, newest first: several if a client sent its own id again",
  );
  const headers = { "X-Request-Id": "checkout-7" };
  await client.get("/v1/pets/999", headers);
  await client.get("/v1/pets", headers);
  const found = await find("checkout-7");
  expect(found.map(({ operation }: { operation: string }) => operation)).toEqual(["listPets", "getPet"]);
  expect(found[1].error).toEqual({ code: "pet_not_found", message: "There is no pet with this id." });
});

test("of more than a hundred requests with one id, the last ones are found", async () => {
  const history = new RequestBuffer(service.stores.requests, "0a1b2c3e");
  for (let i = 0; i < 102; i++)
    history.record(
      requestOf({ at: START - 102 + i, keyId: key.id, requestId: "always-the-same", path: `/v1/pets/${i}` }),
    );
  await history.write();
  const paths = (await find("always-the-same")).map(({ path }: { path: string }) => path);
  expect(paths).toEqual(Array.from({ length: 100 }, (_, i) => `/v1/pets/${101 - i}`));
});

test("refused requests are found, with the code of the error", async () => {
  states("docs/monitoring.md", "also one that is refused with 401, 404, 413 or 429");
  const refused = async (id: string, { request }: Refusal) => {
    await request({ "X-Request-Id": id });
    const [{ status, error, keyId, operation, path }] = await find(id);
    return [status, error.code, keyId, operation, path];
  };
  const anonymous = new Client({ url: service.url, headers: {} });
  const limited = await service.withKey({ limits: { perMinute: 1, perDay: 1 } });
  await limited.get("/v1/pets");
  const large = { name: "x".repeat(70_000) };
  const refusals: [string, Refusal, unknown[]][] = [
    ["r401", { request: (id) => anonymous.get("/v1/pets", id) }, [401, "missing_api_key", null, "listPets"]],
    ["r404", { request: (id) => client.get("/v1/cats", id) }, [404, "not_found", key.id, "other", "/v1/cats"]],
    ["r405", { request: (id) => client.put("/v1/pets", {}, id) }, [405, "method_not_allowed", key.id, "other"]],
    ["r413", { request: (id) => client.post("/v1/pets", large, id) }, [413, "payload_too_large", key.id, "createPet"]],
    ["r400", { request: (id) => client.get("/v1/pets?limit=0", id) }, [400, "invalid_parameter", key.id, "listPets"]],
    ["r429", { request: (id) => limited.get("/v1/pets", id) }, [429, "quota_exceeded", expect.any(String), "listPets"]],
  ];
  for (const [id, refusal, expected] of refusals) {
    expect((await refused(id, refusal)).slice(0, expected.length)).toEqual(expected);
  }
  // Without a valid key those of the address count, which has none per day.
  const [{ limits }] = await find("r401");
  expect(limits).toEqual({ minute: { limit: expect.any(Number), remaining: expect.any(Number) }, day: null });
});

test("a request that a ban refuses shows what its key has left, as the one before the ban does", async () => {
  const own = await service.createKey({ limits: { perMinute: 2, perDay: 1_000 } });
  const shop = service.withSecret(own.secret);
  await shop.spend(3);
  await service.advance({ seconds: 2 });
  expect(await shop.spend(100)).toMatchObject({ status: 429, body: { code: "key_banned" } });
  expect(await shop.get("/v1/pets", { "X-Request-Id": "during" })).toMatchObject({ body: { code: "key_banned" } });
  await service.advance({ seconds: 60 });
  await shop.get("/v1/pets", { "X-Request-Id": "later" });
  const leftBy = async (id: string) => (await find(id)).map(({ limits }: { limits: unknown }) => limits);
  const day = { limit: 1_000, remaining: 998 };
  expect(await leftBy("during")).toEqual([{ minute: { limit: 2, remaining: 0 }, day }]);
  expect(await leftBy("later")).toEqual([{ minute: { limit: 2, remaining: 2 }, day }]);
  const [first] = (await list(`keyId=${own.id}&error=key_banned&limit=100`)).requests.slice(-1);
  expect(first.limits.day).toEqual(day);
});

test("an id that no request had is 404", async () => {
  for (const id of ["never-sent", "%00", "a".repeat(129)]) {
    const { status, body } = await admin.get(`/admin/v1/requests/${id}`);
    expect([status, body.code]).toEqual([404, "request_not_found"]);
  }
});

describe("a list", () => {
  test("has the requests of the keys that a text names, and their present names", async () => {
    describes("PastRequest.keyName", "The present name of its key;");
    states(
      "docs/administration.md",
      "each with the name of its key",
      "`key` is a text in the id, name, owner or last four characters of keys",
    );
    const named = async (name: string) => {
      const own = await service.createKey();
      await service.withSecret(own.secret).get("/v1/pets");
      await service.changeKey((keys) => keys.update(own.id, { name, owner: { email: "ada@example.org" } }, START));
      return own.id;
    };
    const [till, web] = [await named("Till of Ada"), await named("Web shop")];
    const found = async (query: string) =>
      (await list(query)).requests.map(({ keyId, keyName }: Record<string, string>) => [keyId, keyName]);
    expect(await found("key=TILL%20of")).toEqual([[till, "Till of Ada"]]);
    expect(await found("key=ada@example.org")).toEqual([
      [web, "Web shop"],
      [till, "Till of Ada"],
    ]);
    for (const id of [till, till.slice(0, 12), till.slice(0, -1)])
      expect(await found(`key=${id}`)).toEqual([[till, "Till of Ada"]]);
    expect(await found(`key=ada@example.org&keyId=${web}`)).toEqual([[web, "Web shop"]]);
    expect(await found(`key=Till&keyId=${web}`)).toEqual([]);
    expect(await found("key=nobody-has-this")).toEqual([]);
    expect((await list("key=")).requests.length).toBeGreaterThan(2);
  });

  test("has the requests that match all filters, newest first", async () => {
    describes(
      "listRequests",
      "match all given filters, newest first: every request under /v1 or to /mcp, also a refused one",
    );
    describes(
      "listRequests.status",
      "Only those with one of these statuses, or of these classes of statuses, separated by commas.",
    );
    describes("listRequests.keyId", "Only requests with the key that has this id.");
    states(
      "docs/administration.md",
      "the request history, newest first",
      "`operation`, `status` and `error` take several values, separated by commas; a status may be a class such as `4xx`",
    );
    states("docs/monitoring.md", "Time, request id, method, path, operation, status, error code, duration");
    const own = await service.createKey();
    const shop = service.withSecret(own.secret);
    for (const path of ["/v1/pets", "/v1/pets/5", "/v1/orders", "/v1/store/orders"]) await shop.get(path);
    const statusesOf = async (query: string) =>
      (await list(`keyId=${own.id}&${query}`)).requests.map(({ status }: { status: number }) => status);
    expect(await statusesOf("")).toEqual([200, 404, 404, 200]);
    expect(await statusesOf("status=4xx")).toEqual([404, 404]);
    expect(await statusesOf("status=404,200")).toHaveLength(4);
    expect(await statusesOf("status=500")).toEqual([]);
    expect(await statusesOf("operation=listPets,listOrders")).toEqual([200, 200]);
    expect(await statusesOf("error=pet_not_found&status=4xx")).toEqual([404]);
    expect(await statusesOf(`from=${new Date(START).toISOString()}`)).toHaveLength(4);
    expect(await statusesOf(`to=${new Date(START).toISOString()}`)).toEqual([]);
  });

  test("has pages that together have each request once", async () => {
    describes("listRequests.before", "The `next` of the page before.");
    const pages = await service.createKey();
    const reader = service.withSecret(pages.secret);
    for (let i = 0; i < 7; i++) await reader.get(`/v1/pets/${i}`);
    const paths: string[] = [];
    for (let before = ""; ; ) {
      const { requests, next } = await list(`keyId=${pages.id}&limit=3${before}`);
      paths.push(...requests.map(({ path }: { path: string }) => path));
      if (next === null) break;
      before = `&before=${next}`;
    }
    expect(paths).toEqual([6, 5, 4, 3, 2, 1, 0].map((id) => `/v1/pets/${id}`));
  });

  test("says what is kept", async () => {
    describes("RequestPage.kept", "at most so many requests are kept, for so many hours.");
    expect((await list("limit=1")).kept).toEqual({ requests: 100_000, hours: 24, share: 1 });
  });

  test.each([
    "status=6xx",
    "status=",
    "operation=addPet",
    "error=oops",
    "requestId=a%20b",
    "keyId=%00",
    "before=1",
    "from=yesterday",
    "limit=201",
  ])("refuses %s", async (query) => {
    const { status, body } = await admin.get(`/admin/v1/requests?${query}`);
    expect([status, body.code, body.details.length]).toEqual([400, "invalid_parameter", 1]);
  });
});
