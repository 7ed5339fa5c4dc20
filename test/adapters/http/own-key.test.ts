import { describe, expect, test } from "bun:test";
import { operationNames } from "../../../src/adapters/http/operations/index.ts";
import { scopes } from "../../../src/domain/keys/key.ts";
import { startOf } from "../../../src/domain/usage/counting.ts";
import { describes } from "../../support/descriptions.ts";
import { eventually } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import type { RunningService } from "../../support/service.ts";
import { useService } from "../../support/use-service.ts";

const service = useService();

const DAY = 86_400;
const ALL = ["/v1/key", "/v1/key/requests", "/v1/usage"];
const limits = { perMinute: 5, perDay: 1_000 };
const isoAt = (milliseconds: number) => new Date(milliseconds).toISOString();

const rotating = () => service.createKey({ scopes: [...scopes] });
const rotate = (secret: string, body: unknown = {}, headers: Record<string, string> = {}) =>
  service.withSecret(secret).post("/v1/key/rotate", body, headers);
const statusOf = async (secret: string) => (await service.withSecret(secret).get("/v1/key")).status;

/** The requests of a key in the history: a search writes what this process has not written yet. */
async function requestsOf(
  secret: string,
  query = "?limit=100",
): Promise<{ [field: string]: unknown; requestId: string }[]> {
  return (await service.withSecret(secret).get(`/v1/key/requests${query}`)).body;
}

async function ban(running: RunningService, secret: string): Promise<void> {
  const client = running.withSecret(secret);
  for (let i = 0; i <= limits.perMinute; i++) await client.get("/v1/pets");
  await running.advance({ seconds: 3 });
  await eventually(async () => (await client.get("/v1/pets")).body.code === "key_banned");
}

describe("GET /v1/key", () => {
  test("returns the key, and nothing that operators write about it", async () => {
    states("docs/authentication.md", "The page `/account` of the service shows what your key may do.");
    describes("OwnKey", "An API key, as its holder sees it: without its secrets.");
    describes("OwnKey.name", "The label that the operator gave it.");
    describes("KeyLimits", "How many requests it may send per minute and per day.");
    describes("OwnKey.expiresAt", "When it expires, or null.");
    describes("OwnKey.earlierSecrets", "Its earlier secrets that still work.");
    describes("OwnKey.ban", "The current ban, or null.");
    states(
      "docs/your-key.md",
      "`name` | string | The label that the operator gave it.",
      "`plan`, `limits` | string, object | The plan, and its requests `perMinute` and `perDay`.",
      "`scopes` | array | What it may do.",
      "`lastFour` | string | The last four characters of its newest secret.",
    );
    const expiresAt = service.now + 90 * DAY * 1000;
    const { id, secret } = await service.createKey({ plan: "free", scopes: ["pets:read"], expiresAt });
    await service.changeKey((keys) =>
      keys.update(id, { note: "Contract 4711", owner: { name: "Ada", email: "ada@example.org" } }, service.now),
    );
    const { status, body, text } = await service.withSecret(secret).get("/v1/key");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      name: "test",
      plan: "free",
      limits: { perMinute: 60, perDay: 1_000 },
      scopes: ["pets:read"],
      createdAt: isoAt(service.now),
      expiresAt: isoAt(expiresAt),
      lastFour: secret.slice(-4),
      earlierSecrets: [],
      ban: null,
      deprecatedCalls: [],
    });
    expect(body.last30Days).toHaveLength(30);
    for (const hidden of ["Contract", "Ada", "ada@", secret]) expect(text).not.toContain(hidden);
    states(
      "docs/your-key.md",
      "returns the key that you send.",
      "The response has no secret, nor what operators note about the key.",
    );
  });

  test("has the calls of deprecated operations, and the requests by day", async () => {
    states(
      "docs/your-key.md",
      "Days and calls may be some seconds old. The response has no secret, nor what operators note about the key.",
    );
    describes("UsageDay.at", "When the day begins.");
    describes("DeprecatedCalls.calls", "How often the key has called it.");
    describes("DeprecatedCalls.removedAt", "When the operation is removed.");
    describes("DeprecatedCalls.replacement", "What to call instead.");
    describes("RequestsByClass", "4xx without 429.");
    states(
      "docs/your-key.md",
      "`deprecatedCalls` | array | The deprecated operations that it calls: `operation`, `calls`, `lastCalledAt`, `removedAt`, and `replacement`, what to call instead.",
      "`at`, the start of the day (UTC), `requests`, and the same by status, `byClass`.",
    );
    const { id, secret } = await service.createKey();
    const client = service.withSecret(secret);
    for (let i = 0; i < 3; i++) await client.get("/v1/pets/1");
    const { counters, usage } = service.stores;
    const day = [startOf("day", service.now)];
    await eventually(async () => (await counters.deprecatedCallsOf(id)).get("getPet")?.calls === 3);
    await eventually(async () => (await usage.usageOf(id, { day })).some(({ counts }) => counts[1] === 3));
    // The service reads what is durable, as each write before this one is once it is answered.
    await (await service.withKey()).post("/v1/pets", { name: "Rex", categoryId: 1 });
    const { body } = await client.get("/v1/key");
    expect(body.last30Days.at(-1)).toMatchObject({ at: isoAt(day[0] ?? 0), byClass: { "4xx": 3, "429": 0 } });
    expect(body.deprecatedCalls).toEqual([
      {
        operation: "getPet",
        calls: 3,
        lastCalledAt: isoAt(service.now),
        removedAt: "2030-12-05T00:00:00.000Z",
        replacement: "GET /v1/pets?ids={petId}",
      },
    ]);
  });

  test("shows a ban with its end, during it", async () => {
    describes("Ban.until", "When the ban ends.");
    states("docs/your-key.md", "`ban` | object or `null` | During a ban, `until`: its end.");
    const { secret } = await service.createKey({ limits });
    await ban(service, secret);
    const client = service.withSecret(secret);
    const { ban: until } = (await client.get("/v1/usage")).body;
    for (const path of ALL) expect((await client.get(path)).status).toBe(200);
    expect((await client.get("/v1/key")).body.ban).toEqual(until);
  });
});

test("these operations are free, and share 60 requests per minute with GET /v1/usage", async () => {
  states("docs/your-key.md", "These operations are free, as reading your usage is:");
  states("docs/your-key.md", "All of them together, with `GET /usage`, can be sent 60 times per minute.");
  const { secret } = await service.createKey({ limits, scopes: ["key:rotate"] });
  const client = service.withSecret(secret);
  for (let i = 0; i < 60; i++) expect((await client.get(ALL[i % ALL.length] ?? "")).status).toBe(200);
  const { secret: other } = await service.createKey({ limits });
  for (const answer of [...(await Promise.all(ALL.map((path) => client.get(path)))), await rotate(secret)]) {
    expect(answer).toMatchObject({ status: 429, body: { code: "rate_limit_exceeded" } });
    expect(answer.headers.get("X-RateLimit-Limit")).toBe("60");
    expect(answer.headers.get("RateLimit")).toBe('"minute";r=5;t=60, "day";r=1000;t=86400');
    expect(Number(answer.headers.get("Retry-After"))).toBeGreaterThan(0);
  }
  expect(await statusOf(other)).toBe(200);
  states(
    "docs/your-key.md",
    "they count in neither of your plan's windows, and work when no requests remain and during a ban.",
  );
});

describe("GET /v1/key/requests", () => {
  test("lists the requests of this key alone, the newest first, each with its error and what that means", async () => {
    states(
      "docs/your-key.md",
      "| `id` | string | Where it is in the history |",
      "| `simulated` | string or `null` | What it rehearsed |",
    );
    describes(
      "listOwnRequests",
      "Returns the last requests with your key that the service keeps, the newest first, each with the code of its error and what the code means.",
    );
    describes("OwnRequest", "A request with your key, without query, headers, bodies and address.");
    describes("OwnRequest.error", "The code of its error response, and what the code means.");
    describes("OwnRequest.limits", "What it left of the limits of its key");
    states(
      "docs/your-key.md",
      "`requestId` | string | The `X-Request-Id` of its response",
      "`operation`, `method`, `path` | string | Without the query. What looks like a secret is replaced.",
      "`limits` | object or `null` | What it left of both windows: `limit` and `remaining` of `minute` and `day`",
    );
    const [one, other] = [await service.createKey(), await service.createKey()];
    await service.withSecret(other.secret).get("/v1/pets/5", { "X-Request-Id": "not-yours" });
    const client = service.withSecret(one.secret);
    await client.get(`/v1/pets?name=${other.secret}`, { "X-Request-Id": "first" });
    await client.get(`/v1/pets/${other.secret}`, { "X-Request-Id": "second" });
    const listed = await requestsOf(one.secret, "?limit=100&before=9999999999999999_000000000000-00000000-1_0");
    expect(listed.filter(({ operation }) => operation === "getPet")).toMatchObject([
      {
        requestId: "second",
        method: "GET",
        path: "/v1/pets/[key]",
        status: 404,
        error: { code: "pet_not_found", message: "There is no pet with this id." },
      },
    ]);
    expect(listed.find(({ requestId }) => requestId === "first")).toMatchObject({
      path: "/v1/pets",
      limits: {
        minute: { limit: 1_000_000, remaining: 999_999 },
        day: { limit: 1_000_000, remaining: 999_999 },
      },
    });
    const order = listed.map(({ requestId }) => requestId);
    expect(order.indexOf("second")).toBeLessThan(order.indexOf("first"));
    expect(order).not.toContain("not-yours");
    const text = JSON.stringify(listed);
    for (const hidden of [one.secret, other.secret, one.id, other.id, "keyId"]) expect(text).not.toContain(hidden);
    const [theirs] = await requestsOf(other.secret, "?status=refused");
    expect(theirs?.requestId).toBe("not-yours");
    states(
      "docs/your-key.md",
      "returns the requests with your key that the service keeps, the newest first.",
      "`status`, `error` | integer, object or `null` | For an error `code`, and `message`, what the code means",
    );
  });

  test("lists only what was refused, page by page", async () => {
    describes(
      "listOwnRequests.before",
      "Only requests before the one with this `id`: the last one of the previous page.",
    );
    describes("listOwnRequests.status", "`refused`: only requests whose response was an error (4xx and 5xx).");
    states(
      "docs/your-key.md",
      "Largest number of requests on a page",
      'The `Link` with `rel="next"` has it, if another page follows.',
    );
    const { secret } = await service.createKey();
    const client = service.withSecret(secret);
    for (let i = 0; i < 5; i++) {
      await client.get("/v1/pets/0", { "X-Request-Id": `refused-${i}` });
      await client.get("/v1/pets", { "X-Request-Id": `allowed-${i}` });
    }
    await client.get("/v1/pets");
    await requestsOf(secret, "?status=refused");
    const ids: string[] = [];
    let path = "/v1/key/requests?status=refused&limit=2";
    for (const length of [2, 2, 1]) {
      const { body, headers } = await client.get(path);
      expect(body).toHaveLength(length);
      ids.push(...body.map(({ requestId }: { requestId: string }) => requestId));
      const next = /^<http:\/\/petstore\.test(.+)>; rel="next"$/.exec(headers.get("Link") ?? "")?.[1];
      expect(next === undefined).toBe(length === 1);
      path = next ?? path;
    }
    expect(ids).toEqual(["refused-4", "refused-3", "refused-2", "refused-1", "refused-0"]);
    states(
      "docs/your-key.md",
      "`status` | string | none | `refused` | Only requests whose response was an error: 4xx and 5xx",
      "`before` | string | none | an `id` of a request | Only requests before this one.",
    );
  });

  test.each(["limit=0", "limit=101", "limit=", "status=200", "status=", "before=x", "before=", "before=1&before=2"])(
    "refuses %s",
    async (query) => {
      const { secret } = await service.createKey();
      const answer = await service.withSecret(secret).get(`/v1/key/requests?${query}`);
      expect(answer).toMatchObject({ status: 400, body: { code: "invalid_parameter" } });
    },
  );

  test("a place in the history of another key leads to nothing of it", async () => {
    const [one, other] = [await service.createKey(), await service.createKey()];
    await service.withSecret(other.secret).get("/v1/pets", { "X-Request-Id": "theirs" });
    const [theirs] = await requestsOf(other.secret);
    const { body } = await service
      .withSecret(one.secret)
      .get(`/v1/key/requests?before=${theirs?.id}&keyId=${other.id}`);
    expect(body).toEqual([]);
  });
});

describe("POST /v1/key/rotate", () => {
  test("needs the scope key:rotate, which no key has unless an operator gives it", async () => {
    states("CHANGELOG.md", "It needs the scope `key:rotate`, which no key has unless an operator gives it.");
    states(
      "docs/your-key.md",
      "Give the scope only to keys that need it: somebody who copies such a key can rotate it too.",
    );
    states(
      "docs/authentication.md",
      "and `key:rotate` to rotate the key itself. Default: all but `key:rotate`.",
      "A key with the scope for it rotates itself.",
    );
    const { id, secret } = await service.createKey();
    const refused = await rotate(secret);
    expect(refused).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
    expect(refused.headers.get("WWW-Authenticate")).toContain('scope="key:rotate"');
    await service.changeKey((keys) => keys.update(id, { scopes: ["key:rotate"] }, service.now));
    expect((await rotate(secret)).status).toBe(200);
    states("docs/your-key.md", "With the scope `key:rotate`, which a key has only if an operator gives it");
  });

  test("returns a new secret once; the old one works for a day, and the key stays the same", async () => {
    states("docs/test-against-it.md", "takes a second key while the first still works: Rotation");
    describes("OwnKey.id", "It stays when the key is rotated.");
    describes("EarlierSecret", "A secret before the last rotation, which still works.");
    describes("EarlierSecret.expiresAt", "When its grace period ends.");
    describes("rotateOwnKey", "Gives the key of the request a new secret, which only this response shows.");
    states(
      "docs/your-key.md",
      "Stays when the key is rotated.",
      "Those that still work after a rotation: `lastFour`, and `expiresAt`, the end of the grace period.",
      "The response has `key`, as GET /key returns it,",
      'The audit log has each rotation, by "key holder".',
    );
    const { id, secret } = await rotating();
    const before = (await service.withSecret(secret).get("/v1/key")).body;
    const answer = await rotate(secret, undefined);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    const { key, secret: added } = answer.body;
    const { lastUsedAt: _, lastFour: __, earlierSecrets: ___, last30Days: ____, ...same } = before;
    expect(key).toMatchObject({
      ...same,
      lastFour: added.slice(-4),
      earlierSecrets: [{ lastFour: secret.slice(-4), expiresAt: isoAt(service.now + DAY * 1000) }],
    });
    const { body, text } = await service.withSecret(added).get("/v1/key");
    expect(body.id).toBe(id);
    expect(text).not.toContain(added);
    expect(await statusOf(secret)).toBe(200);
    const listed = JSON.stringify(await requestsOf(added));
    const logged = service.output.join("\n");
    for (const hidden of [secret, added]) expect([listed, logged].some((one) => one.includes(hidden))).toBe(false);
    const { client } = await service.withOperator("viewer");
    const { body: audit, text: entries } = await client.get(`/admin/v1/audit?target=${id}`);
    expect(audit.entries[0]).toMatchObject({
      action: "key.rotate",
      operator: { name: "key holder" },
      requestId: answer.headers.get("X-Request-Id"),
      after: { lastFour: added.slice(-4) },
    });
    expect(entries).not.toContain(added);
    states(
      "docs/your-key.md",
      "The body may be left out.",
      "and `secret`, the new secret, which nothing shows again. Id, plan, scopes, expiry, limits and their counts stay.",
    );
  });

  test("ends the old secret after the chosen grace, and never later than the key", async () => {
    states("docs/your-key.md", "`graceSeconds` | integer | no | How long the secret of this request still works,");
    states(
      "docs/upgrading.md",
      "A client gets 401 `expired_api_key` after a rotation | The grace period has ended. | Give the client the new secret.",
    );
    const { secret } = await service.createKey({ scopes: ["key:rotate"], expiresAt: service.now + 3_600_000 });
    const { secret: second } = (await rotate(secret, { graceSeconds: 0 })).body;
    await service.forgetKeys();
    expect(await service.withSecret(secret).get("/v1/key")).toMatchObject({
      status: 401,
      body: { code: "expired_api_key" },
    });
    const { secret: third } = (await rotate(second, { graceSeconds: 86_400 })).body;
    await service.advance({ seconds: 3_600 });
    for (const ended of [second, third]) expect(await statusOf(ended)).toBe(401);
    expect((await rotate(third)).body.code).toBe("expired_api_key");
  });

  test.each([
    { graceSeconds: -1 },
    { graceSeconds: 31_622_401 },
    { graceSeconds: "0" },
    { graceSeconds: null },
    '"text"',
  ])("refuses %j and rotates nothing", async (body) => {
    states("docs/your-key.md", "0 to 31,622,400 seconds.");
    const { secret } = await rotating();
    expect(await rotate(secret, body)).toMatchObject({ status: 400, body: { code: "validation_failed" } });
    expect((await service.withSecret(secret).get("/v1/key")).body.earlierSecrets).toEqual([]);
  });

  test("cannot be used by a secret in its grace period, which would outlive it", async () => {
    const { secret } = await rotating();
    const { secret: newest } = (await rotate(secret)).body;
    const refused = await rotate(secret, { graceSeconds: 31_622_400 });
    expect(refused).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
    expect(refused.body.message).toContain("grace period");
    expect(refused.headers.get("WWW-Authenticate")).toContain('scope="key:rotate"');
    expect((await service.withSecret(newest).get("/v1/key")).body.earlierSecrets).toHaveLength(1);
    states("docs/your-key.md", "A secret in its grace period cannot rotate the key: the response is 403.");
  });

  test("takes no scopes, plan, expiry or other key from the request", async () => {
    const { secret } = await service.createKey({ plan: "free", scopes: ["pets:read", "key:rotate"] });
    const [other] = [await rotating()];
    const wish = { id: other.id, scopes: [...scopes], plan: "enterprise", expiresAt: null, graceSeconds: 60 };
    const { body } = await rotate(secret, wish, { "X-Key-Id": other.id });
    expect(body.key).toMatchObject({ plan: "free", scopes: ["pets:read", "key:rotate"] });
    expect((await service.withSecret(body.secret).post("/v1/pets", { name: "Rex", categoryId: 1 })).status).toBe(403);
    expect((await service.withSecret(other.secret).get("/v1/key")).body.earlierSecrets).toEqual([]);
    expect((await rotate(body.secret, wish, { Prefer: "handling=strict" })).status).toBe(400);
  });

  test("works during a ban, which the new secret shares", async () => {
    const { secret } = await service.createKey({ limits, scopes: ["pets:read", "key:rotate"] });
    await ban(service, secret);
    const { status, body } = await rotate(secret);
    expect(status).toBe(200);
    expect(body.key.ban).not.toBeNull();
    expect((await service.withSecret(body.secret).get("/v1/pets")).body.code).toBe("key_banned");
  });

  test.each(["revoke", "disable"])("is refused after a %s", async (verb) => {
    const { id, secret } = await rotating();
    await service.changeKey((keys) =>
      verb === "revoke" ? keys.revoke(id, service.now) : keys.update(id, { disabled: true }, service.now),
    );
    const answer = await rotate(secret);
    expect(answer).toMatchObject({ status: 401, body: { code: `${verb}d_api_key` } });
    expect(answer.headers.get("WWW-Authenticate")).toContain('error="invalid_token"');
  });

  test("a key gets ten secrets in 24 hours, and Retry-After is when the next one is allowed", async () => {
    states("docs/your-key.md", "The next one is 429 `rate_limit_exceeded`, which is not a strike;");
    states("docs/your-key.md", "A key gets at most 10 secrets in 24 hours.");
    let { secret } = await rotating();
    for (let i = 1; i < 10; i++) ({ secret } = (await rotate(secret, { graceSeconds: 0 })).body);
    await service.advance({ seconds: 60 });
    const refused = await rotate(secret);
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limit_exceeded" } });
    expect(refused.headers.get("Retry-After")).toBe(String(DAY - 60));
    expect(refused.headers.get("X-RateLimit-Limit")).toBe("10");
    expect(refused.headers.get("X-RateLimit-Remaining")).toBe("0");
    const allowedAt = Math.ceil(service.now / 1000) + DAY - 60;
    expect(refused.headers.get("X-RateLimit-Reset")).toBe(String(allowedAt));
    expect((await service.withSecret(secret).get("/v1/usage")).body.strikes).toBe(0);
    await service.advance({ seconds: DAY - 60 });
    expect((await rotate(secret)).status).toBe(200);
    states("docs/your-key.md", "`Retry-After` says when to try again.");
  });

  test("one that another overtakes is refused as every request with a secret that has ended", async () => {
    const { secret } = await rotating();
    await using other = await service.store.connect();
    await other.lockPets();
    const rotations = Array.from({ length: 20 }, () => rotate(secret, { graceSeconds: 0 }));
    // Another request that is answered shows that these have arrived: with SQLite they wait for the lock.
    await service.anonymous().get("/livez");
    await other.run("COMMIT");
    const answers = await Promise.all(rotations);
    const shown = ({ status, headers, body }: (typeof answers)[number]) => {
      const names = ["WWW-Authenticate", "X-RateLimit-Limit", "RateLimit-Policy", "Retry-After", "Cache-Control"];
      return [status, body.code, ...names.map((name) => headers.get(name))];
    };
    // On a machine that others use, the lock may have lasted for longer than they wait.
    const refused = answers.filter(({ status }) => status !== 200 && status !== 503);
    const later = shown(await rotate(secret));
    expect(later).toContain("expired_api_key");
    expect(refused.map(shown)).toEqual(refused.map(() => later));
  });

  test("of concurrent rotations one succeeds", async () => {
    const { secret } = await rotating();
    const answers = await Promise.all(Array.from({ length: 20 }, () => rotate(secret)));
    const [succeeded, ...more] = answers.filter(({ status }) => status === 200);
    expect(more).toEqual([]);
    for (const { status } of answers) expect([200, 403]).toContain(status);
    const { body } = await service.withSecret(succeeded?.body.secret).get("/v1/key");
    expect(body.earlierSecrets).toHaveLength(1);
    states("docs/your-key.md", "Of several rotations at once, one succeeds.");
  });

  test("after 24 hours an Idempotency-Key may be used again: a repeated rotation gets the newer secret", async () => {
    const again = { "Idempotency-Key": "each day" };
    let { secret } = await rotating();
    for (let day = 0; day < 3; day++) {
      const [first, repeated] = [await rotate(secret, {}, again), await rotate(secret, {}, again)];
      expect([first, repeated].map(({ headers }) => headers.get("Idempotency-Replayed"))).toEqual([null, "true"]);
      expect(repeated.body.secret).toBe(first.body.secret);
      ({ secret } = first.body);
      expect(await statusOf(secret)).toBe(200);
      await service.advance({ seconds: DAY });
    }
  });

  test("a repeated rotation with an Idempotency-Key rotates once, and gets the same secret", async () => {
    states("docs/your-key.md", "With an Idempotency-Key you can repeat it if its response is lost:");
    states("docs/your-key.md", "The service does not store the new secret.");
    const { secret } = await rotating();
    const again = { "Idempotency-Key": "rotation-1" };
    const answers = await Promise.all(Array.from({ length: 10 }, () => rotate(secret, {}, again)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ body }) => body.secret)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get("Idempotency-Replayed") === "true")).toHaveLength(9);
    const { secret: added } = answers[0]?.body ?? {};
    expect((await service.withSecret(added).get("/v1/key")).body.earlierSecrets).toHaveLength(1);
    for (const [from, body] of [
      [secret, { graceSeconds: 60 }],
      [added, {}],
    ] as const) {
      expect(await rotate(from, body, again)).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
    }
    const create = (name: string) =>
      service.withSecret(added).post("/v1/pets", { name, categoryId: 1 }, { "Idempotency-Key": name });
    expect((await create("rotation-1")).status).toBe(422);
    expect((await create("Rex")).status).toBe(201);
    expect((await rotate(added, {}, { "Idempotency-Key": "Rex" })).status).toBe(422);
    const { secret: others } = await rotating();
    const { body } = await rotate(others, {}, again);
    expect(body.secret).not.toBe(added);
    const stored = JSON.stringify(
      await service.stores.keys.requestWith({ keyId: body.key.id, key: "rotation-1", now: 0 }),
      (_, value) => String(value),
    );
    expect(stored).not.toContain(body.secret);
    states("docs/your-key.md", "you get the same secret again, as long as the secret that you send still works.");
  });

  test("nothing about the key is answered without it", async () => {
    for (const path of ALL) expect((await service.anonymous().get(path)).body.code).toBe("missing_api_key");
    expect((await service.anonymous().post("/v1/key/rotate", {})).body.code).toBe("missing_api_key");
  });
});

test("usage counts these operations by their names", () => {
  for (const name of ["getOwnKey", "listOwnRequests", "rotateOwnKey"]) expect(operationNames).toContain(name);
});
