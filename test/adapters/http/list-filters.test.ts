import { beforeAll, describe, expect, test } from "bun:test";
import { addPets } from "../../support/pets.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service);
beforeAll(async () => {
  await addPets(service, [
    { name: "Rex", categoryId: 1n },
    { name: "REX", categoryId: 9223372036854775807n, status: "sold" },
    { name: "\uff32\uff25\uff38", categoryId: -9223372036854775808n },
    { name: "Rexy", categoryId: 1n, status: "sold" },
    { name: "Caf\u00e9 & Co", categoryId: 1n },
    { name: "CAFE\u0301 & CO", categoryId: 0n },
    { name: "\ufdfa".repeat(255), categoryId: 0n },
    { name: "\ufffd", categoryId: 9n },
  ]);
});

const idsOf = async (query: Record<string, string>): Promise<number[]> => {
  const answer = await client.get(`/v1/pets?${new URLSearchParams(query)}`);
  expect(answer.status).toBe(200);
  return answer.body.map(({ id }: { id: number }) => id);
};

describe("name matches whole names in any case and Unicode form:", () => {
  test.each([
    ["rex", [1, 2, 3]],
    ["\uff32ex", [1, 2, 3]],
    ["caf\u00c9 & co", [5, 6]],
    ["Rex%", []],
    [" rex", []],
    ["\ufdfa".repeat(255), [7]],
    ["\ufdfa".repeat(254), []],
  ])("%.20s", async (name, ids) => {
    expect(await idsOf({ name })).toEqual(ids);
  });

  test("after a change it matches the new name", async () => {
    const headers = { "Content-Type": "application/json" };
    const { body } = await client.post("/v1/pets", { name: "Old", categoryId: 5 });
    await client.request(`/v1/pets/${body.id}`, { method: "PATCH", headers, body: '{"name":"New","categoryId":6}' });
    expect([await idsOf({ name: "old" }), await idsOf({ name: "new" })]).toEqual([[], [body.id]]);
    expect([await idsOf({ categoryId: "5" }), await idsOf({ categoryId: "6" })]).toEqual([[], [body.id]]);
  });

  test("a pet that was added with an Idempotency-Key is found", async () => {
    const { body } = await client.post("/v1/pets", { name: "Once", categoryId: 5 }, { "Idempotency-Key": "1" });
    expect(await idsOf({ name: "ONCE" })).toEqual([body.id]);
  });

  test.each(["", " ", "\u0000", "x".repeat(256), "a\nb"])("%p is refused", async (name) => {
    expect(await client.get(`/v1/pets?${new URLSearchParams({ name })}`)).toMatchObject({
      status: 400,
      body: { code: "invalid_parameter", details: [{ in: "query", field: "name" }] },
    });
  });
});

describe("percent-encoding that is not UTF-8", () => {
  const INVALID = ["%ff", "%C3", "Caf%C3%28", "%ed%a0%80", "%c0%af", "%80Rex", "%f4%90%80%80", "%E2%82"];

  test.each(INVALID)("%s is refused", async (name) => {
    const problem = "must be percent-encoded UTF-8";
    expect(await client.get(`/v1/pets?limit=2&n%61me=${name}`)).toMatchObject({
      status: 400,
      body: { code: "invalid_parameter", details: [{ in: "query", field: "name", problem }] },
    });
  });

  test("is ignored in a parameter that does not exist", async () => {
    expect((await client.get("/v1/pets?%ff=%ff&colour=%ff")).status).toBe(200);
  });

  test("is not U+FFFD, which is found, nor a percent sign without two digits", async () => {
    expect(await idsOf({ name: "\ufffd" })).toEqual([8]);
    expect((await client.get("/v1/pets?name=%zz%f")).body).toEqual([]);
  });
});

describe("categoryId matches any int64, exactly:", () => {
  test.each([
    ["1", [1, 4, 5]],
    ["9223372036854775807", [2]],
    ["9223372036854775806", []],
    ["-9223372036854775808", [3]],
    ["0", [6, 7]],
  ])("%s", async (categoryId, ids) => {
    expect(await idsOf({ categoryId })).toEqual(ids);
  });

  test.each(["", "-0", "01", "1.0", "1e1", "+1", "x", "9223372036854775808", "-9223372036854775809", "\uff11"])(
    "%p is refused with its bounds",
    async (categoryId) => {
      const problem = "must be an integer from -9223372036854775808 to 9223372036854775807";
      expect(await client.get(`/v1/pets?${new URLSearchParams({ categoryId })}`)).toMatchObject({
        status: 400,
        body: { code: "invalid_parameter", details: [{ in: "query", field: "categoryId", problem }] },
      });
    },
  );
});

test("filters combine, and the next page keeps them", async () => {
  expect(await idsOf({ name: "rex", status: "sold" })).toEqual([2]);
  expect(await idsOf({ categoryId: "1", status: "sold" })).toEqual([4]);
  expect(await idsOf({ name: "rex", ids: "1,3,4" })).toEqual([1, 3]);
  expect(await idsOf({ name: "rex", order: "desc", after: "3" })).toEqual([2, 1]);
  const first = await client.get("/v1/pets?name=caf%C3%A9%20%26%20co&limit=1");
  const next = /<([^>]*)>/.exec(first.headers.get("Link") ?? "")?.[1] ?? "";
  expect(new URL(next).search).toBe("?limit=1&name=caf%C3%A9%20%26%20co&after=5");
  expect((await client.get(`/v1/pets${new URL(next).search}`)).body.map(({ id }: { id: number }) => id)).toEqual([6]);
});
