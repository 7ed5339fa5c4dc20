import { describe, expect, test } from "bun:test";
import { operationNames } from "../../../src/adapters/http/operations/index.ts";
import { limitsOf } from "../../../src/domain/limits/limits.ts";
import { Connection } from "../../attack/connection.ts";
import type { Answer, Client } from "../../support/client.ts";
import { describes } from "../../support/descriptions.ts";
import { states } from "../../support/markdown.ts";
import { startService } from "../../support/service.ts";
import { useKey, useService } from "../../support/use-service.ts";

const LARGEST = 256 * 1024;
const BATCH = "/v1/pets/batch";

const service = useService();
const { client } = useKey(service);

const some = (count: number, name = "Rex") =>
  Array.from({ length: count }, (_, i) => ({ name: `${name} ${i}`, categoryId: i }));
const add = (pets: unknown, its = client, headers: Record<string, string> = {}) => its.post(BATCH, { pets }, headers);
const remainingOf = ({ headers }: Answer) =>
  headers
    .get("RateLimit")
    ?.match(/(?<=r=)\d+/g)
    ?.map(Number);
const inventory = async (its = client) => (await its.get("/v1/store/inventory")).body;
const usedOf = async (its: Client) => (await its.get("/v1/usage")).body.minute.used;

test("all pets are added in their order, with ascending ids, and are listed and counted", async () => {
  describes("CreatedPets", "The pets that a request added, in its order.");
  states(
    "docs/interface.md",
    "201 | CreatedPets | All pets were added.",
    "The response has them in the same order, with ascending ids.",
  );
  const before = await inventory();
  const pets = [...some(97), { name: "Sold", categoryId: 1, status: "sold" }, ...some(2)];
  const { status, headers, body, text } = await add(pets);
  expect(status).toBe(201);
  const ids: number[] = body.pets.map(({ id }: { id: number }) => id);
  expect(body.pets).toEqual(pets.map((pet, i) => ({ id: ids[i], status: "available", ...pet })));
  expect(ids.toSorted((a, b) => a - b)).toEqual(ids);
  expect([headers.get("Location"), headers.get("ETag")]).toEqual([null, null]);
  expect((await client.get(`/v1/pets?ids=${ids}`)).text).toBe(text.slice('{"pets":'.length, -1));
  expect(await inventory()).toEqual({ ...before, available: before.available + 99, sold: before.sold + 1 });
});

test("each pet has its event, with the id of the request", async () => {
  const { body, headers } = await add(some(5, "Event"));
  const { body: events } = await client.get(`/v1/events?subject=pets/${body.pets[4].id}`);
  const requestId = headers.get("X-Request-Id");
  expect(events).toMatchObject([{ type: "pet.created", version: 1, data: body.pets[4], requestId }]);
});

test("every integer keeps its digits", async () => {
  const { text } = await client.post(BATCH, '{"pets":[{"name":"Big","categoryId":9223372036854775807}]}');
  expect(text).toContain('"categoryId":9223372036854775807');
});

describe("a batch that is invalid adds nothing, names the element, and counts once:", () => {
  const rule = "must be an array of 1 to 100 pets";
  test.each([
    [{ pets: some(8).with(3, { name: " ", categoryId: 1 }) }, "pets.3.name", undefined],
    [{ pets: [...some(2), { name: "Rex" }] }, "pets.2.categoryId", "is required"],
    [{ pets: [...some(2), "Rex"] }, "pets.2", "must be a JSON object with name, categoryId and optionally status"],
    [{ pets: some(101) }, "pets", rule],
    [{ pets: [] }, "pets", rule],
    [{ pets: null }, "pets", rule],
    [{}, "pets", undefined],
    [some(2), "", "must be a JSON object with pets"],
  ])("%j", async (body, field, problem) => {
    states(
      "docs/interface.md",
      "`POST /pets/batch` takes 1 to 100 pets, each a NewPet, and adds all of them or none.",
      "If a pet is invalid, `details` names it by its place, from 0: `pets.3.name`.",
      "or there are no pets, more than 100,",
    );
    const own = await service.withKey({ limits: limitsOf.business });
    const before = await inventory();
    const refused = await own.post(BATCH, body);
    expect(refused).toMatchObject({ status: 400, body: { code: "validation_failed" } });
    expect(refused.body.details[0]).toMatchObject({ field, ...(problem !== undefined && { problem }) });
    expect(remainingOf(refused)).toEqual([999, 99_999]);
    expect(await inventory()).toEqual(before);
  });

  test.each([
    ["invalid_json", 400, "{", {}],
    ["unsupported_media_type", 415, JSON.stringify({ pets: some(9) }), { "Content-Type": "text/plain" }],
    ["invalid_parameter", 400, JSON.stringify({ pets: some(9) }), { "Idempotency-Key": "\u00e9" }],
  ])("%s", async (code, status, body, headers) => {
    states("docs/interface.md", "6 to 8 come before its pets are counted");
    states("docs/limits.md", "A batch that is refused for its content");
    const own = await service.withKey({ limits: limitsOf.business });
    const refused = await own.post(BATCH, body, headers);
    expect(refused).toMatchObject({ status, body: { code } });
    expect(remainingOf(refused)).toEqual([999, 99_999]);
  });

  test("with strict handling, an unknown field, and the nearest one", async () => {
    const own = await service.withKey({ limits: limitsOf.business });
    const pets = some(3).with(1, { nmae: "Rex", name: "Rex", categoryId: 1 } as never);
    const refused = await add(pets, own, { Prefer: "handling=strict" });
    expect(refused.body.details).toEqual([
      { in: "body", field: "pets.1.nmae", problem: "is unknown; the nearest is name" },
    ]);
    expect(refused.headers.get("Preference-Applied")).toBe("handling=strict");
    expect(remainingOf(refused)).toEqual([999, 99_999]);
    const unknown = await own.post(`${BATCH}?x=1`, { pets: some(3) }, { Prefer: "handling=strict" });
    expect(unknown).toMatchObject({ status: 400, body: { code: "invalid_parameter" } });
    expect(remainingOf(unknown)).toEqual([998, 99_998]);
    const added = await add(some(3), own, { Prefer: "handling=strict" });
    expect([added.status, added.headers.get("Preference-Applied")]).toEqual([201, "handling=strict"]);
    expect(remainingOf(added)).toEqual([995, 99_995]);
  });

  test("a key without the scope", async () => {
    states("docs/limits.md", "or its scope (400, 403, 413, 415) counts once.");
    const own = await service.withKey({ limits: limitsOf.business, scopes: ["pets:read"] });
    const refused = await add(some(9), own);
    expect(refused).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
    expect(remainingOf(refused)).toEqual([999, 99_999]);
  });
});

test("other methods of the path are refused", async () => {
  const answer = await client.get(BATCH);
  expect([answer.status, answer.headers.get("Allow")]).toEqual([405, "POST"]);
});

describe("limits", () => {
  test("a batch counts as the number of its pets in both windows, and in the usage of its key", async () => {
    describes("createPets", "The request counts as the number of its pets in both limits");
    states("docs/interface.md", "It counts as the number of its pets.");
    states(
      "docs/limits.md",
      "a batch counts more.",
      "A request that adds many pets counts as the number of its pets, in both windows.",
    );
    const own = await service.withKey({ limits: { perMinute: 100, perDay: 150 } });
    const first = await add(some(60), own);
    expect(remainingOf(first)).toEqual([40, 90]);
    expect(first.headers.get("X-RateLimit-Remaining")).toBe("40");
    expect(remainingOf(await add(some(1), own))).toEqual([39, 89]);
    const { body } = await own.get("/v1/usage");
    const noCalls = Object.fromEntries(operationNames.map((name) => [name, 0]));
    expect([body.minute.used, body.day.used]).toEqual([61, 61]);
    expect(body.last24Hours.at(-1)).toMatchObject({
      requests: 61,
      byClass: { "2xx": 61 },
      byOperation: { ...noCalls, createPets: 61 },
    });
  });

  test("one that does not fit is refused, and counts as nothing: what remains can be used, and after Retry-After it fits", async () => {
    states("docs/limits.md", "If they do not fit into what remains, the response is 429, and nothing is counted.");
    states(
      "docs/limits.md",
      "`X-RateLimit-Remaining` is then what remains of the window that refused, which may be more than 0: send at most that many pets now, or all of them after `Retry-After`.",
    );
    const own = await service.withKey({ limits: { perMinute: 60, perDay: 1_000 } });
    await add(some(50), own);
    const before = await inventory();
    const refused = await add(some(11), own);
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limit_exceeded" } });
    expect(refused.body.message).toStartWith("This request counts as 11 requests, and 10 remain.");
    expect(remainingOf(refused)).toEqual([10, 950]);
    expect(await usedOf(own)).toBe(50);
    const { last24Hours } = (await own.get("/v1/usage")).body;
    expect(last24Hours.at(-1).byClass["429"]).toBe(1);
    expect((await inventory()).available).toBe(before.available);
    expect(remainingOf(await add(some(10), own))).toEqual([0, 940]);
    await service.advance({ seconds: Number(refused.headers.get("Retry-After")) });
    expect((await add(some(11), own)).status).toBe(201);
  });

  test("the day refuses it too", async () => {
    const own = await service.withKey({ limits: { perMinute: 100, perDay: 100 } });
    await add(some(60), own);
    await service.advance({ seconds: 60 });
    const refused = await add(some(50), own);
    expect(refused).toMatchObject({ status: 429, body: { code: "quota_exceeded" } });
    expect(refused.headers.get("X-RateLimit-Remaining")).toBe("40");
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(80_000);
  });

  test("one that never fits is invalid, so that no client waits for it in vain", async () => {
    states(
      "CHANGELOG.md",
      "adds up to 100 pets, all or none, in one commit. It counts as the number of its pets in both limits, takes an `Idempotency-Key`, and its body may have 256 KiB.",
    );
    states("docs/interface.md", "more than your key may ever send in a minute or a day.");
    states(
      "docs/limits.md",
      "More pets than your limit per minute or per day never fit. That is 400 `validation_failed`: on Free, send at most 60 at once.",
    );
    for (const [limits, period] of [
      [{ perMinute: 60, perDay: 1_000 }, "minute"],
      [{ perMinute: 1_000, perDay: 60 }, "day"],
    ] as const) {
      const own = await service.withKey({ limits });
      const refused = await add(some(61), own);
      expect(refused).toMatchObject({ status: 400, body: { code: "validation_failed" } });
      const problem = `has 61 pets, and this API key may send 60 requests in a ${period}: send fewer pets at once`;
      expect(refused.body.details).toEqual([{ in: "body", field: "pets", problem }]);
      expect(await usedOf(own)).toBe(1);
      expect((await add(some(60), await service.withKey({ limits }))).status).toBe(201);
    }
  });

  test("concurrent batches and requests get the limit together, and not one more", async () => {
    const own = await service.withKey({ limits: { perMinute: 100, perDay: 1_000 } });
    const before = await inventory();
    const answers = await Promise.all(
      Array.from({ length: 24 }, async (_, i) => {
        const cost = 1 + ((i * 7) % 13);
        const answer = cost === 1 ? await own.post("/v1/pets", some(1)[0]) : await add(some(cost), own);
        return { cost, status: answer.status };
      }),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 429]));
    const added = answers.reduce((sum, { cost, status }) => (status === 201 ? sum + cost : sum), 0);
    expect(added).toBeLessThanOrEqual(100);
    expect(await usedOf(own)).toBe(added);
    expect((await inventory()).available).toBe(before.available + added);
  });

  test("after refusals of a full window, and in a ban, nothing of a batch is parsed", async () => {
    states(
      "docs/limits.md",
      "It is read once the limits allow one request: while a window is used up, and during a ban, its content is not looked at.",
    );
    const own = await service.withKey({ limits: { perMinute: 1, perDay: 1_000 } });
    await own.get("/v1/pets");
    for (const body of ["{", '{"pets":[]}', JSON.stringify({ pets: some(1) })]) {
      expect(await own.post(BATCH, body)).toMatchObject({ status: 429, body: { code: "rate_limit_exceeded" } });
    }
    await service.advance({ seconds: 2 });
    await own.spend(100);
    expect(await own.post(BATCH, "{")).toMatchObject({ status: 429, body: { code: "key_banned" } });
    const two = await service.withKey({ limits: { perMinute: 2, perDay: 1_000 } });
    await add(some(2), two);
    expect((await add(some(2), two)).body.message).not.toContain("counts as");
  });

  test("each refused batch is one strike, whether nothing remains or too little", async () => {
    for (const used of [2, 3]) {
      const own = await service.withKey({ limits: { perMinute: 3, perDay: 1_000 } });
      await add(some(used), own);
      await add(some(2), own);
      await service.advance({ seconds: 3 });
      for (let i = 0; i < 3; i++) expect((await add(some(2), own)).status).toBe(429);
      expect((await own.get("/v1/usage")).body.strikes).toBe(3);
    }
  });
});

describe("with an idempotency key", () => {
  const create = (key: string, pets: unknown, its = client) => add(pets, its, { "Idempotency-Key": key });

  test.each([1, 2, 40])("a repeated batch of %p pets adds nothing and gets the first response", async (count) => {
    states("docs/idempotency.md", "It counts as the first one did.");
    const first = await create(`batch of ${count}`, some(count));
    const before = await inventory();
    let left = (remainingOf(first) ?? []).map((requests) => requests - 1);
    for (let i = 0; i < 3; i++) {
      const again = await create(`batch of ${count}`, some(count));
      expect([again.status, again.text]).toEqual([201, first.text]);
      expect(again.headers.get("Idempotency-Replayed")).toBe("true");
      left = left.map((requests) => requests - count);
      expect(remainingOf(again)).toEqual(left);
    }
    expect(await inventory()).toEqual(before);
    expect(first.headers.has("Idempotency-Replayed")).toBe(false);
    states("docs/idempotency.md", "A batch of pets is one creation, with one key.");
  });

  test("the same key with other pets, in another order, or for another operation is refused", async () => {
    states(
      "docs/interface.md",
      "422 | Error, `idempotency_key_reused` | The same Idempotency-Key was sent with other pets.",
    );
    await create("reused", some(3));
    await client.post("/v1/pets", some(1)[0], { "Idempotency-Key": "single" });
    const refusal = { status: 422, body: { code: "idempotency_key_reused" } };
    expect(await create("reused", some(4))).toMatchObject(refusal);
    expect(await create("reused", some(3).toReversed())).toMatchObject(refusal);
    expect(await client.post("/v1/pets", some(1)[0], { "Idempotency-Key": "reused" })).toMatchObject(refusal);
    expect(await create("single", some(1))).toMatchObject(refusal);
    const explicit = some(3).map((pet) => ({ ...pet, status: "available" }));
    expect((await create("reused", explicit)).status).toBe(201);
  });

  test("a refused batch is not remembered", async () => {
    expect((await create("refused", [{ name: "" }])).status).toBe(400);
    expect((await create("refused", some(2))).headers.has("Idempotency-Replayed")).toBe(false);
  });
});

test("a batch with an unknown category adds nothing, and names the pet, if the service checks categories", async () => {
  await using checking = await startService({ env: { PETSTORE_CATEGORY_CHECK: "on" } });
  const own = await checking.withKey();
  await own.put("/v1/categories/1", { name: "Dogs" });
  await own.put("/v1/categories/2", { name: "Cats" });
  const pets = [1, 2, 3, 1, 4].map((categoryId) => ({ name: "Rex", categoryId }));
  const [refused, other] = await Promise.all([
    add(pets, own, { "Idempotency-Key": "checked" }),
    own.post("/v1/pets", { name: "Mia", categoryId: 1 }),
  ]);
  expect(refused).toMatchObject({ status: 400, body: { code: "validation_failed" } });
  expect(refused.body.details).toEqual([
    { in: "body", field: "pets.2.categoryId", problem: "must be the id of a category" },
  ]);
  expect(other.status).toBe(201);
  expect((await inventory(own)).available).toBe(1);
  const known = [1, 2, 1].map((categoryId) => ({ name: "Rex", categoryId }));
  expect((await add(known, own, { "Idempotency-Key": "checked" })).status).toBe(201);
});

describe("the size of a body", () => {
  const bodyOf = (size: number) => JSON.stringify({ pets: some(2) }).padEnd(size);

  test("may be 256 KiB for this operation, and not a byte more", async () => {
    states("docs/limits.md", "(400, 403, 413, 415) counts once.");
    expect((await client.post(BATCH, bodyOf(LARGEST))).status).toBe(201);
    const own = await service.withKey({ limits: limitsOf.business });
    const refused = await own.post(BATCH, bodyOf(LARGEST + 1));
    expect(refused).toMatchObject({ status: 413, body: { code: "payload_too_large" } });
    expect(remainingOf(refused)).toEqual([999, 99_999]);
    expect(refused.body.message).toContain(String(LARGEST));
  });

  test.each([
    ["POST", "/v1/pets"],
    ["POST", "/v1/pets/batch/"],
    ["PUT", "/v1/pets/batch"],
    ["PATCH", "/v1/pets/1"],
    ["POST", "/v1/store/orders"],
    ["POST", "/pets/batch"],
  ])("%s %s is refused beyond 64 KiB before the body is sent, as after a batch", async (method, path) => {
    const connection = await Connection.open(service.url);
    const { secret } = await service.createKey();
    const head = (its: string, target: string, size: number) =>
      `${its} ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\nContent-Type: application/json\r\nContent-Length: ${size}\r\n\r\n`;
    const batch = bodyOf(100_000);
    connection.send(head("POST", BATCH, batch.length) + batch + head(method, path, 64 * 1024 + 1));
    const { answers } = await connection.untilClosed(10_000);
    expect(answers.map(({ status }) => status)).toHaveLength(2);
    expect(answers[0]?.status).toBe(201);
    expect(answers[1]?.headers.get("Connection")).toBe("close");
  });
});

test("on staging a batch is rehearsed as other requests are, and counts as usual", async () => {
  await using staging = await startService({ env: { PETSTORE_DEPLOYMENT: "staging" } });
  const own = await staging.withKey({ limits: { perMinute: 100, perDay: 1_000 } });
  for (const [code, status] of [
    ["service_unavailable", 503],
    ["validation_failed", 400],
    ["idempotency_in_progress", 409],
    ["rate_limit_exceeded", 429],
    ["payload_too_large", 413],
  ] as const) {
    expect(await add(some(10), own, { "Petstore-Simulate": code })).toMatchObject({ status, body: { code } });
  }
  expect(await usedOf(own)).toBe(50);
  expect((await inventory(own)).available).toBe(0);
  const key = { "Idempotency-Key": "lost" };
  await expect(add(some(10), own, { ...key, "Petstore-Simulate": "lost-answer" })).rejects.toThrow();
  const again = await add(some(10), own, key);
  expect([again.status, again.headers.get("Idempotency-Replayed"), again.body.pets.length]).toEqual([201, "true", 10]);
  expect((await inventory(own)).available).toBe(10);
});
