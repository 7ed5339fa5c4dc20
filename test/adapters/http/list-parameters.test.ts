import { beforeAll, describe, expect, test } from "bun:test";
import { addPets } from "../../support/pets.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service);
beforeAll(async () => {
  const statuses = ["available", "pending", "sold"] as const;
  const pets = Array.from({ length: 120 }, (_, i) => ({
    name: `Pet ${i}`,
    categoryId: BigInt(i),
    status: statuses[i % 3] ?? "available",
  }));
  await addPets(service, pets);
});

async function idsOf(query: string): Promise<number[]> {
  const answer = await client.get(`/v1/pets${query}`);
  expect(answer.status).toBe(200);
  return answer.body.map((pet: { id: number }) => pet.id);
}

const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);

describe("limit", () => {
  test("is 20 by default", async () => {
    expect(await idsOf("")).toEqual(upTo(20));
  });

  test.each([1, 2, 99, 100])("of %d returns this many pets, by id, ascending", async (limit) => {
    expect(await idsOf(`?limit=${limit}`)).toEqual(upTo(limit));
  });

  const invalid = ["0", "101", "-1", "1.0", "1e1", "010", "+5", "%205", "abc", "", "9223372036854775808", "0x10", "５"];
  test.each(invalid)("of %p is refused with its bounds, never clamped", async (limit) => {
    const answer = await client.get(`/v1/pets?limit=${limit}`);
    const problem = "must be an integer from 1 to 100";
    expect(answer).toMatchObject({
      status: 400,
      body: { code: "invalid_parameter", details: [{ in: "query", field: "limit", problem }] },
    });
    expect(answer.body.message).toContain(`limit ${problem}`);
  });
});

describe("status", () => {
  test.each(["available", "pending", "sold"])("%s returns only such pets", async (status) => {
    const answer = await client.get(`/v1/pets?status=${status}&limit=100`);
    expect(answer.body).toHaveLength(40);
    expect(new Set(answer.body.map((pet: { status: string }) => pet.status))).toEqual(new Set([status]));
  });

  test.each(["", "Available", "available,sold", "gone", "available%20"])(
    "%p is refused with the allowed values",
    async (status) => {
      expect(await client.get(`/v1/pets?status=${status}`)).toMatchObject({
        status: 400,
        body: { details: [{ field: "status", problem: "must be one of available, pending, sold" }] },
      });
    },
  );
});

describe("after", () => {
  test("returns only pets with a greater id", async () => {
    expect(await idsOf("?after=3&limit=2")).toEqual([4, 5]);
  });

  test("0 returns all from the start", async () => {
    expect(await idsOf("?after=0&limit=2")).toEqual([1, 2]);
  });

  test("the id of no pet is accepted", async () => {
    expect(await idsOf("?after=119")).toEqual([120]);
    expect(await idsOf("?after=120")).toEqual([]);
    expect(await idsOf("?after=9223372036854775807")).toEqual([]);
  });

  test.each(["", "-1", "1.0", "01", "x", "9223372036854775808", "1".repeat(5000)])("%p is refused", async (after) => {
    expect(await client.get(`/v1/pets?after=${after}`)).toMatchObject({
      status: 400,
      body: { code: "invalid_parameter", details: [{ in: "query", field: "after" }] },
    });
  });
});

describe("parameters", () => {
  test.each(["limit=1&limit=1", "status=sold&status=sold", "after=1&after=2", "ids=1&ids=2"])(
    "repeated as %s are refused",
    async (query) => {
      expect(await client.get(`/v1/pets?${query}`)).toMatchObject({
        status: 400,
        body: { code: "invalid_parameter", details: [{ in: "query", problem: "must be given once" }] },
      });
    },
  );

  test("that are invalid are all reported at once", async () => {
    const answer = await client.get("/v1/pets?ids=&after=x&limit=0&status=none");
    expect(answer.body.details.map(({ field }: { field: string }) => field).sort()).toEqual([
      "after",
      "ids",
      "limit",
      "status",
    ]);
  });

  test("that are unknown are ignored, even when repeated", async () => {
    expect(await idsOf("?limit=1&sort=name&sort=id&Limit=7&limit%5B%5D=3")).toEqual([1]);
  });

  test("may be percent-encoded, or empty", async () => {
    expect(await idsOf("?%6Cimit=%31")).toEqual([1]);
    expect(await idsOf("?")).toHaveLength(20);
    expect(await idsOf("?&&")).toHaveLength(20);
  });
});

test("without matching pets the response is an empty array", async () => {
  const answer = await client.get("/v1/pets?after=1000&status=sold");
  expect(answer).toMatchObject({ status: 200, text: "[]" });
  expect(answer.headers.has("Link")).toBe(false);
});
