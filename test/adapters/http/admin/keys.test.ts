import { beforeAll, describe, expect, test } from "bun:test";
import type { Client } from "../../../support/client.ts";
import { describes } from "../../../support/descriptions.ts";
import { eventually } from "../../../support/eventually.ts";
import { states } from "../../../support/markdown.ts";
import { useOperator, useService } from "../../../support/use-service.ts";

const service = useService();
const { client: admin } = useOperator(service);

const KEYS = "/admin/v1/keys";
const create = async (body: object) => (await admin.post(KEYS, { name: "test", plan: "free", ...body })).body;
const patch = (id: string, body: object) =>
  admin.request(`${KEYS}/${id}`, {
    method: "PATCH",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
const act = (id: string, action: string) => admin.request(`${KEYS}/${id}/${action}`, { method: "POST" });
const details = (answer: { body: { details: { field: string; problem: string }[] } }) =>
  answer.body.details.map(({ field, problem }) => `${field} ${problem}`);

test("a created key works at once, with its plan and scopes", async () => {
  states("docs/administration.md", "Times are RFC 3339 in UTC, such as `2026-12-02T10:00:00.250Z`.");
  describes("createKey", "Creates a key, which works at once.");
  describes("NewKey", "Without `expiresAt` it never expires.");
  states("docs/administration.md", "201, `key` and its `secret`, which is shown only now");
  const { key, secret } = await create({ name: "Shop", plan: "pro", scopes: ["pets:read"] });
  expect(key).toMatchObject({
    name: "Shop",
    plan: "pro",
    limits: { perMinute: 300, perDay: 10_000 },
    scopes: ["pets:read"],
    state: "active",
    lastFour: secret.slice(-4),
    createdAt: new Date(service.now).toISOString(),
    expiresAt: null,
    usage: { minute: { limit: 300, used: 0, remaining: 300, resetAt: null }, strikes: 0, bannedUntil: null },
  });
  const client = service.withSecret(secret);
  expect((await client.get("/v1/pets")).headers.get("X-RateLimit-Limit")).toBe("300");
  expect((await client.post("/v1/pets", { name: "Rex", categoryId: 1 })).body.code).toBe("insufficient_scope");
});

test("the usage of a key is exact after each request", async () => {
  states(
    "docs/administration.md",
    "`GET /admin/v1/keys/{id}` | the key, and its current limit state",
    "The limit state of a key is exact: it is what the key's next response shows.",
  );
  const { key, secret } = await create({ plan: "enterprise", limits: { perMinute: 5, perDay: 9 } });
  const client = service.withSecret(secret);
  for (let used = 1; used <= 7; used++) {
    const answer = await client.get("/v1/pets");
    const { minute, day } = (await admin.get(`${KEYS}/${key.id}`)).body.usage;
    expect(minute.used).toBe(Math.min(used, 5));
    expect(minute.remaining).toBe(5 - minute.used);
    expect(day).toMatchObject({ used: minute.used, limit: 9, remaining: 9 - minute.used });
    const resets = [minute.resetAt, day.resetAt].map((at) => String(Date.parse(at) / 1000));
    expect(resets).toContain(answer.headers.get("X-RateLimit-Reset") ?? "");
  }
});

test("a ban is shown with its end, and can be lifted", async () => {
  describes("unbanKey", "Ends the ban of a key and clears its strikes.");
  describes("unbanKey 200", "The key without a ban.");
  describes("Key.usage.strikes", "Refused requests that count towards a ban.");
  const { key, secret } = await create({ plan: "enterprise", limits: { perMinute: 1, perDay: 1_000 } });
  const client = service.withSecret(secret);
  await client.spend(2);
  await service.advance({ seconds: 3 });
  await client.spend(60);
  expect((await admin.get(`${KEYS}/${key.id}`)).body.usage.strikes).toBe(60);
  const { headers, body } = await client.spend(60);
  expect(body.code).toBe("key_banned");
  const until = new Date(Number(headers.get("X-RateLimit-Reset")) * 1000).toISOString();
  // Lists find bans that are stored, twice per second.
  await eventually(async () => (await admin.get(`${KEYS}?state=banned`)).body.total === 1);
  const banned = (await admin.get(`${KEYS}?state=banned`)).body;
  expect(banned.keys).toMatchObject([{ id: key.id, state: "banned", usage: { bannedUntil: until } }]);
  expect(banned.total).toBe(1);

  const lifted = (await act(key.id, "unban")).body;
  expect(lifted).toMatchObject({ state: "active", usage: { strikes: 0, bannedUntil: null } });
  await service.forgetKeys();
  await service.advance({ seconds: 60 });
  expect((await client.get("/v1/pets")).status).toBe(200);
  expect((await admin.get(`${KEYS}?state=banned`)).body.keys).toEqual([]);
});

test("the name, plan, limits and expiry of a key change at once; its usage stays", async () => {
  describes("KeyChange", "Other fields stay;");
  states("docs/administration.md", "The key is revoked or expired: neither can be rotated");
  const { key, secret } = await create({});
  const client = service.withSecret(secret);
  await client.spend(2);
  expect((await patch(key.id, { name: "Renamed" })).body).toMatchObject({ name: "Renamed", plan: "free" });
  expect((await patch(key.id, { plan: "business" })).body).toMatchObject({ name: "Renamed", plan: "business" });
  await service.forgetKeys();
  expect((await client.get("/v1/pets")).headers.get("X-RateLimit-Remaining")).toBe("997");
  const own = { plan: "enterprise", limits: { perMinute: 7, perDay: 70 } };
  expect((await patch(key.id, own)).body.usage.minute).toMatchObject({ limit: 7, used: 3, remaining: 4 });
  expect((await patch(key.id, { limits: { perMinute: 8, perDay: 80 } })).body).toMatchObject({
    plan: "enterprise",
    limits: { perMinute: 8, perDay: 80 },
  });
  const expiresAt = new Date(service.now + 60_000).toISOString();
  expect((await patch(key.id, { expiresAt })).body.expiresAt).toBe(expiresAt);
  await service.forgetKeys();
  await service.advance({ seconds: 60 });
  expect((await client.get("/v1/pets")).body.code).toBe("expired_api_key");
  expect((await admin.get(`${KEYS}/${key.id}`)).body.state).toBe("expired");
  expect((await act(key.id, "rotate")).body.code).toBe("invalid_state");
  expect((await patch(key.id, { expiresAt: null })).body).toMatchObject({ state: "active", expiresAt: null });
  await service.forgetKeys();
  expect((await client.get("/v1/pets")).status).toBe(200);
});

test("the scopes of a key change at once", async () => {
  const { key, secret } = await create({});
  const client = service.withSecret(secret);
  expect((await patch(key.id, { scopes: ["pets:write"] })).body.scopes).toEqual(["pets:write"]);
  await service.forgetKeys();
  expect((await client.get("/v1/pets")).body.code).toBe("insufficient_scope");
  expect(details(await patch(key.id, { scopes: [] }))).toEqual(["scopes must not be empty"]);
  expect(details(await patch(key.id, { scopes: ["pets:delete"] }))).toEqual([
    "scopes.0 must be one of pets:read, pets:write, orders:read, orders:write, events:read, key:rotate",
  ]);
});

test("a key is disabled and enabled again, each with its entry in the audit log", async () => {
  describes("KeyChange.disabled", "A disabled key is refused until it is enabled again.");
  states("docs/administration.md", 'A key with `"disabled": true` is refused until you set `false`');
  const { key, secret } = await create({});
  const client = service.withSecret(secret);
  const disabledAt = new Date(service.now).toISOString();
  const disabled = (await patch(key.id, { disabled: true, name: "Paused" })).body;
  expect(disabled).toMatchObject({ name: "Paused", state: "disabled", disabledAt });
  await service.forgetKeys();
  expect((await client.get("/v1/pets")).body.code).toBe("disabled_api_key");
  expect((await admin.get(`${KEYS}?state=disabled`)).body).toMatchObject({ keys: [{ id: key.id }], total: 1 });
  expect((await admin.get("/admin/v1/overview")).body.keys.disabled).toBe(1);
  await service.advance({ seconds: 1 });
  expect((await patch(key.id, { disabled: true })).body.disabledAt).toBe(disabledAt);
  expect((await patch(key.id, { disabled: false })).body).toMatchObject({ state: "active", disabledAt: null });
  await service.forgetKeys();
  expect((await client.get("/v1/pets")).status).toBe(200);
  const { entries } = (await admin.get(`/admin/v1/audit?target=${key.id}`)).body;
  expect(entries).toMatchObject([
    { action: "key.enable", before: { disabledAt }, after: { name: "Paused" } },
    { action: "key.disable", before: { name: "test" }, after: { name: "Paused", disabledAt } },
    { action: "key.create" },
  ]);
  expect(details(await patch(key.id, { disabled: "yes" }))).toEqual(["disabled must be true or false"]);
});

test("a rotated key shows the end of its earlier secret, which can be brought forward to now", async () => {
  describes("endGrace", "Ends the grace period of a key's earlier secrets: the service refuses them from now on.");
  describes(
    "Key.earlierSecrets",
    "The secrets before the last rotation that still work, with the end of their grace period.",
  );
  states(
    "docs/administration.md",
    "`POST /admin/v1/keys/{id}/rotate` with `graceSeconds` (86400) | `key` and its new `secret`",
    "`POST /admin/v1/keys/{id}/end-grace` | the key; its earlier secrets no longer work",
  );
  const { key, secret } = await create({});
  const { key: rotated, secret: second } = (await admin.post(`${KEYS}/${key.id}/rotate`, { graceSeconds: 60 })).body;
  const expiresAt = new Date(service.now + 60_000).toISOString();
  expect(rotated.earlierSecrets).toEqual([{ lastFour: secret.slice(-4), expiresAt }]);
  expect((await act(key.id, "end-grace")).body.earlierSecrets).toEqual([]);
  await service.forgetKeys();
  expect((await service.withSecret(secret).get("/v1/pets")).body.code).toBe("expired_api_key");
  expect((await service.withSecret(second).get("/v1/pets")).status).toBe(200);
  const again = await act(key.id, "end-grace");
  expect([again.status, again.body.code]).toEqual([409, "invalid_state"]);
  const { entries } = (await admin.get(`/admin/v1/audit?key=${key.id}&limit=1`)).body;
  expect(entries).toMatchObject([
    {
      action: "key.grace.end",
      before: { othersExpireAt: expiresAt },
      after: { othersExpireAt: new Date(service.now).toISOString() },
    },
  ]);
});

test("rotation creates a new secret; the old one works for the grace period, one day by default", async () => {
  describes("rotateKey", "Gives a key a new secret, which only this response shows.");
  const { key, secret } = await create({ plan: "business" });
  const [old, isWelcome] = [
    service.withSecret(secret),
    async (client: Client) => (await client.get("/v1/pets")).status,
  ];
  await service.advance({ seconds: 1 });
  const { secret: second } = (await act(key.id, "rotate")).body;
  await service.advance({ seconds: 1 });
  const third = (await admin.post(`${KEYS}/${key.id}/rotate`, { graceSeconds: 10 })).body;
  expect(third.key.lastFour).toBe(third.secret.slice(-4));
  const { entries } = (await admin.get(`/admin/v1/audit?target=${key.id}&action=key.rotate`)).body;
  const endingAfter = (seconds: number) => new Date(service.now + seconds * 1_000).toISOString();
  const fours = [third.secret, second, secret].map((one) => one.slice(-4));
  expect(entries).toMatchObject([
    { before: { lastFour: fours[1] }, after: { lastFour: fours[0], othersExpireAt: endingAfter(10) } },
    { before: { lastFour: fours[2] }, after: { lastFour: fours[1], othersExpireAt: endingAfter(86_400 - 1) } },
  ]);
  await service.advance({ seconds: 9 });
  for (const one of [secret, second, third.secret]) expect(await isWelcome(service.withSecret(one))).toBe(200);
  await service.advance({ seconds: 1 });
  expect(await isWelcome(old)).toBe(401);
  expect(await isWelcome(service.withSecret(third.secret))).toBe(200);
});

test("a revoked key is refused by the next request, and cannot be changed or rotated", async () => {
  describes("revokeKey", "Revokes a key for good: the service refuses every further request with it.");
  describes("revokeKey 200", "The revoked key.");
  states("docs/administration.md", "and a revoked key cannot be changed.");
  const { key, secret } = await create({});
  const client = service.withSecret(secret);
  expect((await client.get("/v1/pets")).status).toBe(200);
  expect((await act(key.id, "revoke")).body).toMatchObject({ state: "revoked", revokedAt: expect.any(String) });
  await service.forgetKeys();
  expect((await client.get("/v1/pets")).body.code).toBe("revoked_api_key");
  for (const refused of [await act(key.id, "rotate"), await patch(key.id, { plan: "pro" })]) {
    expect([refused.status, refused.body.code]).toEqual([409, "invalid_state"]);
  }
  expect((await act(key.id, "revoke")).status).toBe(200);
});

test("two concurrent changes both take effect", async () => {
  for (let i = 0; i < 10; i++) {
    const { key } = await create({});
    const answers = await Promise.all([
      patch(key.id, { name: "both" }),
      act(key.id, "unban"),
      patch(key.id, { plan: "pro" }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await admin.get(`${KEYS}/${key.id}`)).body).toMatchObject({ name: "both", plan: "pro" });
  }
});

test.each(["GET", "PATCH", "rotate", "end-grace", "revoke", "unban"])(
  "%s of a key that does not exist is 404",
  async (action) => {
    states("docs/administration.md", "There is no key with this id.");
    for (const id of ["key_nobody", "%00", "..%2f..", "key_%F0%9F", "x".repeat(3_000)]) {
      const path = `${KEYS}/${id}`;
      const isPatch = action === "PATCH";
      const answer = isPatch ? await patch(id, {}) : action === "GET" ? await admin.get(path) : await act(id, action);
      expect([answer.status, answer.body.code]).toEqual([404, "key_not_found"]);
    }
  },
);

describe("a list of keys", () => {
  let own: { id: string; lastFour: string }[];
  beforeAll(async () => {
    own = [];
    for (let i = 0; i < 7; i++) {
      if (i % 2 === 0) await service.advance({ seconds: 1 });
      own.unshift((await create({ name: `Listed ${i}`, plan: i < 3 ? "pro" : "free" })).key);
    }
    await act(own[0]?.id ?? "", "revoke");
  });

  test("is paged, newest first, each key once", async () => {
    describes("listKeys.after", "The `next` of the previous page.");
    describes("listKeys", "Lists keys, newest first or by owner,");
    describes("Keys.next", "The `after` of the next page; null on the last page.");
    describes("Keys.total", "The number of matching keys on all pages.");
    states(
      "docs/administration.md",
      "`GET /admin/v1/keys?limit=&after=&search=&owner=&plan=&state=&rehearsing=&sort=` | `keys`, newest first, `next` and `total`.",
      "`total` is the number of all that match.",
    );
    const seen: string[] = [];
    let path = `${KEYS}?search=listed&limit=2`;
    for (let next: string | null = ""; next !== null; path = `${KEYS}?search=listed&limit=2&after=${next}`) {
      const { body } = await admin.get(path);
      expect(body.total).toBe(7);
      expect(body.keys.length).toBeLessThanOrEqual(2);
      seen.push(...body.keys.map(({ id }: { id: string }) => id));
      next = body.next;
    }
    expect(new Set(seen)).toEqual(new Set(own.map(({ id }) => id)));
    expect(seen).toHaveLength(7);
    const ages = (await admin.get(`${KEYS}?limit=200`)).body.keys.map(
      ({ createdAt }: { createdAt: string }) => createdAt,
    );
    expect(ages).toEqual(ages.toSorted().reverse());
  });

  test("has the keys whose id, name or last four characters contain the search text", async () => {
    describes("listKeys.search", "Only keys whose id, name, owner or last four characters contain this text.");
    states("docs/administration.md", "`search` matches ids, names, owners and last four characters");
    const [one] = own;
    for (const search of [one?.id, one?.lastFour, "LISTED 6", "ted%206"]) {
      const { keys } = (await admin.get(`${KEYS}?search=${search}`)).body;
      expect(keys.map(({ id }: { id: string }) => id)).toContain(one?.id);
    }
    expect((await admin.get(`${KEYS}?search=nothing-has-this`)).body).toEqual({
      keys: [],
      next: null,
      total: 0,
    });
  });

  test("has the keys with the requested plans and states", async () => {
    describes("listKeys.plan", "Only those with one of these values, separated by commas.");
    states("docs/administration.md", "`plan` and `state` take several values, separated by commas");
    const count = async (query: string) => (await admin.get(`${KEYS}?search=listed&${query}`)).body.total;
    expect(await count("plan=pro")).toBe(3);
    expect(await count("plan=pro,free")).toBe(7);
    expect(await count("state=revoked")).toBe(1);
    expect(await count("state=active,banned")).toBe(6);
    expect(await count("state=expired")).toBe(0);
  });

  test.each([
    ["limit=0", "limit must be an integer from 1 to 200"],
    ["limit=201", "limit must be an integer from 1 to 200"],
    ["limit=5&limit=6", "limit must be given once"],
    ["limit[]=5", "limit must be written without brackets"],
    ["after=key_1", "after must be the next of an earlier page"],
    ["plan=gold", "plan must be one or more of free, pro, business, enterprise, separated by commas"],
    ["state=active,", "state must be one or more of active, banned, disabled, expired, revoked, separated by commas"],
    [`search=${"x".repeat(101)}`, "search must be 100 characters at most"],
  ])("refuses %s", async (query, problem) => {
    states(
      "docs/administration.md",
      "A query parameter is out of bounds, repeated, or has brackets that it cannot have.",
      "Correct the parameters in `details`.",
    );
    const answer = await admin.get(`${KEYS}?${query}`);
    expect([answer.status, answer.body.code]).toEqual([400, "invalid_parameter"]);
    expect(details(answer)).toEqual([problem]);
  });
});

test.each([
  [{ name: " " }, "name must be 1 to 100 characters, not blank, without control characters"],
  [{ plan: "gold" }, "plan must be one of free, pro, business, enterprise"],
  [{ plan: "enterprise" }, "limits are required by the enterprise plan: per minute and per day"],
  [{ limits: { perMinute: 1, perDay: 1 } }, "limits are fixed on the free plan; only enterprise has custom limits"],
  [
    { plan: "enterprise", limits: { perMinute: 0, perDay: 1 } },
    "limits.perMinute must be an integer from 1 to 1000000000",
  ],
  [{ scopes: [] }, "scopes must not be empty"],
  [
    { scopes: ["pets:delete"] },
    "scopes.0 must be one of pets:read, pets:write, orders:read, orders:write, events:read, key:rotate",
  ],
  [{ expiresAt: "tomorrow" }, "expiresAt must be a time such as 2026-12-02T10:00:00Z"],
  [{ expiresAt: "2020-01-01T00:00:00Z" }, "expiresAt must not be in the past"],
])("a key with %j is not created", async (more, problem) => {
  states("docs/administration.md", "Correct the fields in `details`.");
  const answer = await admin.post(KEYS, { name: "test", plan: "free", ...more });
  expect([answer.status, answer.body.code]).toEqual([400, "validation_failed"]);
  expect(details(answer)).toEqual([problem]);
});

test("a body that is no JSON in UTF-8, or has a key twice, creates no key", async () => {
  states("docs/administration.md", "The body is not valid JSON in UTF-8, or contains a key twice.");
  const bodies = ["{", '{"name":"a","plan":"free","name":"b"}', Uint8Array.of(0x22, 0xff, 0x22)];
  for (const body of bodies) expect((await admin.post(KEYS, body)).body.code).toBe("invalid_json");
});

describe("a change with If-Match", () => {
  const changes: [method: string, below: string, body?: object][] = [
    ["PATCH", "", { plan: "pro" }],
    ["POST", "/rotate", { graceSeconds: 60 }],
    ["POST", "/end-grace"],
    ["POST", "/unban"],
    ["DELETE", "/simulation"],
    ["POST", "/revoke"],
  ];
  const change = (id: string, [method, below, body]: (typeof changes)[number], tag: string) =>
    admin.request(`${KEYS}/${id}${below}`, {
      method,
      headers: { "If-Match": tag, ...(body && { "Content-Type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });

  test("is made only in the state that is meant, whichever change it is", async () => {
    describes("Key.version", 'Version 4 has the ETag `"v4"`, which a change takes in `If-Match`.');
    states(
      "docs/administration.md",
      "A response with one of them, or with a key, has its `ETag`; each change takes it in `If-Match`",
      'The ETag of a key has its `version`, as in `"v4"`.',
      "The resource has none of the ETags in `If-Match`",
    );
    const { key } = await create({});
    for (const one of changes) {
      const { headers, body } = await admin.get(`${KEYS}/${key.id}`);
      const refused = await change(key.id, one, '"v99"');
      expect([one, refused.status, refused.body.code]).toEqual([one, 412, "precondition_failed"]);
      expect((await admin.get(`${KEYS}/${key.id}`)).body).toEqual(body);
      const made = await change(key.id, one, headers.get("ETag") ?? "");
      const { version } = made.body.key ?? made.body;
      expect([one, made.status, made.headers.get("ETag")]).toEqual([one, 200, `"v${version}"`]);
    }
    expect(await admin.get(`${KEYS}/${key.id}`)).toMatchObject({ body: { state: "revoked", plan: "pro" } });
  });

  test("of two admins who have seen the same key, one is refused", async () => {
    const { key } = await create({});
    const answers = await Promise.all(
      ["first", "second"].map((note) => change(key.id, ["PATCH", "", { note }], `"v${key.version}"`)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412]);
    const { note } = (await admin.get(`${KEYS}/${key.id}`)).body;
    expect(note).toBe(answers[0]?.status === 200 ? "first" : "second");
  });

  test("does not fail because of what the key's requests change", async () => {
    states(
      "docs/administration.md",
      "Requests of the key change its `usage`, `lastUsedAt` and `simulation.requests` within a version.",
    );
    states("docs/administration.md", "Requests of the key change its `usage`");
    const { key, secret } = await create({});
    await service.withSecret(secret).spend(3);
    const { headers, body } = await admin.get(`${KEYS}/${key.id}`);
    expect([body.usage.minute.used, headers.get("ETag")]).toEqual([3, '"v1"']);
    expect((await change(key.id, ["PATCH", "", { note: "used" }], '"v1"')).status).toBe(200);
  });

  test("is checked in the published order: existence, If-Match, state", async () => {
    states("docs/administration.md", "7. existence: 404 8. `If-Match`, `If-None-Match`: 412 9. state: 409");
    const { key } = await create({});
    await act(key.id, "revoke");
    const codeOf = async (id: string, tag: string) => (await change(id, ["PATCH", "", { plan: "pro" }], tag)).body.code;
    expect(await codeOf("key_none", '"v1"')).toBe("key_not_found");
    expect(await codeOf(key.id, '"v1"')).toBe("precondition_failed");
    expect(await codeOf(key.id, '"v2"')).toBe("invalid_state");
  });
});
