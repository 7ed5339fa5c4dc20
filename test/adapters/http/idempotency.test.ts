import { describe, expect, test } from "bun:test";
import { startService } from "../../support/service.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service);

const REX = { name: "Rex", categoryId: 1 };
const DAY = 86_400;

const create = (idempotencyKey: string, body: unknown = REX, its = client) =>
  its.post("/v1/pets", body, { "Idempotency-Key": idempotencyKey });
const namesOf = async (its = client) =>
  (await its.get("/v1/pets?limit=100")).body.map(({ name }: { name: string }) => name);

test("a repeated creation adds nothing and gets the first response", async () => {
  const first = await create("again");
  expect(first).toMatchObject({ status: 201, body: { name: "Rex", status: "available" } });
  expect(first.headers.has("Idempotency-Replayed")).toBe(false);
  for (let i = 0; i < 3; i++) {
    const answer = await create("again");
    expect(answer.headers.get("Idempotency-Replayed")).toBe("true");
    expect([answer.status, answer.text]).toEqual([201, first.text]);
    expect(answer.headers.get("Location")).toBe(first.headers.get("Location"));
  }
  expect(await namesOf()).toEqual(["Rex"]);
});

test("every integer keeps its digits, also in repeated responses", async () => {
  const body = '{"name":"Big","categoryId":-9223372036854775808}';
  const first = await create("big", body);
  expect(first.text).toContain("-9223372036854775808");
  expect((await create("big", body)).text).toBe(first.text);
});

test("without an idempotency key each request adds a pet", async () => {
  const ids = [await client.post("/v1/pets", REX), await client.post("/v1/pets", REX)].map(({ body }) => body.id);
  expect(new Set(ids).size).toBe(2);
});

test("the same key with another pet is refused, and with the same pet accepted in any notation", async () => {
  await create("reused", { ...REX, status: "available" });
  for (const body of [
    { ...REX, name: "Mia" },
    { ...REX, categoryId: 2 },
    { ...REX, status: "sold" },
  ]) {
    expect(await create("reused", body)).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
  }
  expect(await create("reused", '{ "categoryId": 1e0, "name": "\\u0052ex" }')).toMatchObject({ status: 201 });
});

test("of concurrent requests one adds the pet, the others get 409 with Retry-After", async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => create("at once", { ...REX, name: "Once" })));
  const added = answers.filter(({ status }) => status === 201);
  expect(new Set(added.map(({ text }) => text)).size).toBe(1);
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    expect(answer).toMatchObject({ status: 409, body: { code: "idempotency_in_progress" } });
    expect(answer.headers.get("Retry-After")).toBe("1");
  }
  expect((await create("at once", { ...REX, name: "Once" })).text).toBe(added[0]?.text ?? "");
});

test("a refused creation is not remembered", async () => {
  expect(await create("refused", { name: "" })).toMatchObject({ status: 400 });
  expect(await create("refused", "{")).toMatchObject({ status: 400, body: { code: "invalid_json" } });
  const answer = await create("refused");
  expect(answer).toMatchObject({ status: 201 });
  expect(answer.headers.has("Idempotency-Replayed")).toBe(false);
});

test("idempotency keys belong to one API key, also after its rotation", async () => {
  const { id, secret } = await service.createKey();
  const first = await create("own", REX, service.withSecret(secret));
  const other = await create("own", REX, await service.withKey());
  expect(other.body.id).not.toBe(first.body.id);
  const rotated = await service.changeKey((keys) => keys.rotate(id, 0, service.now));
  expect((await create("own", REX, service.withSecret(rotated.secret))).body.id).toBe(first.body.id);
});

describe("an idempotency key", () => {
  test.each(["x", " ~", "a, b", "x".repeat(255), "../../../etc/passwd'; DROP TABLE pets; --"])(
    "may be %j",
    async (name) => {
      expect(await create(name)).toMatchObject({ status: 201 });
    },
  );

  test.each(["", "x".repeat(256), "\u00e9", "a\tb"])("may not be %j", async (name) => {
    expect(await create(name)).toMatchObject({
      status: 400,
      body: {
        code: "invalid_parameter",
        details: [{ in: "header", field: "Idempotency-Key", problem: "must be 1 to 255 printable ASCII characters" }],
      },
    });
  });

  test("is ignored by other operations", async () => {
    expect(await client.get("/v1/pets", { "Idempotency-Key": "" })).toMatchObject({ status: 200 });
  });
});

test("an idempotency key is remembered for 24 hours, over a restart, and may then be reused", async () => {
  await using own = await startService();
  const { secret } = await own.createKey();
  const first = await create("day", REX, own.withSecret(secret));
  await own.stop();
  await own.start({ now: own.now + (DAY - 60) * 1000 });
  const its = own.withSecret(secret);
  expect((await create("day", REX, its)).text).toBe(first.text);
  await own.advance({ seconds: 60 });
  const next = await create("day", { ...REX, name: "Mia" }, its);
  expect(next).toMatchObject({ status: 201, body: { name: "Mia" } });
  expect(await namesOf(its)).toEqual(["Rex", "Mia"]);
});
