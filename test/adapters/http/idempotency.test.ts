import { describe, expect, test } from "bun:test";
import { describes } from "../../support/descriptions.ts";
import { states } from "../../support/markdown.ts";
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
  describes("createPet.Idempotency-Key", "A repeated request with the same content gets the first response.");
  describes(
    "IdempotencyReplayed",
    "Present if an earlier request with this Idempotency-Key created the resource; this is its response.",
  );
  states(
    "docs/quick-start.md",
    "Send an `Idempotency-Key` with each creation. You can then repeat the request after a lost connection and still get one pet:",
  );
  states("docs/interface.md", "unless you send an Idempotency-Key.");
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
  states("docs/idempotency.md", "You can then repeat the request as often as you like, and there is one pet.");
});

test("every integer keeps its digits, also in repeated responses", async () => {
  const body = '{"name":"Big","categoryId":-9223372036854775808}';
  const first = await create("big", body);
  expect(first.text).toContain("-9223372036854775808");
  expect((await create("big", body)).text).toBe(first.text);
});

test("without an idempotency key each request adds a pet", async () => {
  states("docs/interface.md", "Sending the request again may add it twice,");
  const ids = [await client.post("/v1/pets", REX), await client.post("/v1/pets", REX)].map(({ body }) => body.id);
  expect(new Set(ids).size).toBe(2);
});

test("the same key with another pet is refused, and with the same pet accepted in any notation", async () => {
  states(
    "CHANGELOG.md",
    "A creation that is retried within 24 hours creates once, on any node and after any crash. The same key for another operation is 422.",
  );
  states(
    "docs/interface.md",
    "422 | Error, `idempotency_key_reused` | The same Idempotency-Key was sent with another pet.",
  );
  await create("reused", { ...REX, status: "available" });
  for (const body of [
    { ...REX, name: "Mia" },
    { ...REX, categoryId: 2 },
    { ...REX, status: "sold" },
  ]) {
    expect(await create("reused", body)).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
  }
  expect(await create("reused", '{ "categoryId": 1e0, "name": "\\u0052ex" }')).toMatchObject({ status: 201 });
  states("docs/idempotency.md", "| the same key with another request | 422 `idempotency_key_reused`.");
});

test("of concurrent requests one adds the pet, the others get 409 with Retry-After", async () => {
  states("docs/interface.md", "The first request with this Idempotency-Key is still being processed.");
  const answers = await Promise.all(Array.from({ length: 20 }, () => create("at once", { ...REX, name: "Once" })));
  const added = answers.filter(({ status }) => status === 201);
  expect(new Set(added.map(({ text }) => text)).size).toBe(1);
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    expect(answer).toMatchObject({ status: 409, body: { code: "idempotency_in_progress" } });
    expect(answer.headers.get("Retry-After")).toBe("1");
  }
  expect((await create("at once", { ...REX, name: "Once" })).text).toBe(added[0]?.text ?? "");
  states(
    "docs/idempotency.md",
    "| the same key while the first request is under way | 409 `idempotency_in_progress`. Retry after `Retry-After`. |",
  );
});

test("a refused creation is not remembered", async () => {
  states("docs/idempotency.md", "| the same key after a refusal | A new attempt:");
  states("docs/idempotency.md", "the same key after a refusal | A new attempt: refusals are not stored.");
  expect(await create("refused", { name: "" })).toMatchObject({ status: 400 });
  expect(await create("refused", "{")).toMatchObject({ status: 400, body: { code: "invalid_json" } });
  const answer = await create("refused");
  expect(answer).toMatchObject({ status: 201 });
  expect(answer.headers.has("Idempotency-Replayed")).toBe(false);
  states("docs/idempotency.md", "Correct the request and send it with the same key.");
});

test("idempotency keys belong to one API key, also after its rotation", async () => {
  states("docs/idempotency.md", "An `Idempotency-Key` belongs to your API key");
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
    states("docs/idempotency.md", "1 to 255 printable ASCII characters that you choose,");
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
  states("docs/errors.md", "This `Idempotency-Key` was sent with another request within the last 24 hours:");
  states("docs/idempotency.md", "is stored for 24 hours,");
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
