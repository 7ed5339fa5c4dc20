import { beforeAll, expect, test } from "bun:test";
import { describes } from "../../support/descriptions.ts";
import { states } from "../../support/markdown.ts";
import { addPets } from "../../support/pets.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service);
beforeAll(async () => {
  await addPets(
    service,
    Array.from({ length: 110 }, (_, i) => ({
      name: `Pet ${i}`,
      categoryId: 1n,
      status: i < 3 ? "sold" : "pending",
    })),
  );
});

async function idsOf(query: string): Promise<number[]> {
  const answer = await client.get(`/v1/pets?${query}`);
  expect(answer.status).toBe(200);
  return answer.body.map((pet: { id: number }) => pet.id);
}

const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);

test("returns these pets, by id, ascending, each once", async () => {
  states(
    "docs/paging.md",
    "`ids` | ids, separated by commas | none | 1 to 100 ids, each from 1 to 9223372036854775807 | Only pets with these ids.",
    "You may send an id twice; its pet appears once.",
  );
  expect(await idsOf("ids=7,3,5,3")).toEqual([3, 5, 7]);
});

test("a comma may be escaped", async () => {
  expect(await idsOf("ids=1%2C2")).toEqual([1, 2]);
});

test("leaves out unknown ids", async () => {
  states("docs/paging.md", "An unknown id is not in the response.");
  expect(await idsOf("ids=2,500,9223372036854775807")).toEqual([2]);
  expect(await idsOf("ids=500")).toEqual([]);
});

test("can be combined with status and after", async () => {
  expect(await idsOf("ids=1,2,3,4,5&status=sold")).toEqual([1, 2, 3]);
  expect(await idsOf("ids=1,2,3,4,5&after=2&status=sold")).toEqual([3]);
});

test.each([
  ...["ids=7&ids=3&ids=5", "ids=7,3&ids=5,3", "ids[]=7&ids[]=3&ids[]=5", "ids%5B%5D=7,3&ids=5"],
  ...[
    "ids[0]=7&ids[1]=3&ids[2]=5",
    "ids%5B0%5D=7&ids%5b1%5d=3&ids%5B00%5D=5",
    "ids[12]=7,3&ids[]=5",
    "%69ds[1]=3,7&ids[1]=5",
  ],
])("may be repeated, as %s", async (query) => {
  expect(await idsOf(query)).toEqual([3, 5, 7]);
  states(
    "docs/paging.md",
    "Only `ids` may be repeated: `ids=1&ids=2`, `ids[]=1&ids[]=2` and `ids[0]=1&ids[1]=2`, as PHP writes it, are the same as `ids=1,2`.",
  );
});

test("come newest first with order=desc", async () => {
  describes("Pets", "Pets, by id: ascending, unless `order=desc`.");
  describes("listPets.order", "`asc`: by id, ascending. `desc`: the newest pets first.");
  expect(await idsOf("ids=7,3,5&order=desc")).toEqual([7, 5, 3]);
  expect(await idsOf("ids=7,3,5&order=desc&after=7")).toEqual([5, 3]);
});

test("all come on one page without a limit", async () => {
  states("docs/paging.md", "| 20, or all of `ids` |");
  states("docs/paging.md", "Without `limit` the page holds all of them.");
  const answer = await client.get(`/v1/pets?ids=${upTo(100)}`);
  expect(answer.body.map((pet: { id: number }) => pet.id)).toEqual(upTo(100));
  expect(answer.headers.has("Link")).toBe(false);
});

test("accepts at most 100 ids", async () => {
  expect(
    await client.get(
      `/v1/pets?${upTo(101)
        .map((id) => `ids=${id}`)
        .join("&")}`,
    ),
  ).toMatchObject({ status: 400 });
  expect(await idsOf(`limit=100&ids=${upTo(100)}`)).toEqual(upTo(100));
  expect(await client.get(`/v1/pets?ids=${upTo(101)}`)).toMatchObject({ status: 400 });
});

test("ids beyond one page are found by following Link", async () => {
  const first = await client.get(`/v1/pets?limit=2&ids=9,1,8,2,7`);
  expect(first.body.map((pet: { id: number }) => pet.id)).toEqual([1, 2]);
  expect(first.headers.get("Link")).toBe('<http://petstore.test/v1/pets?limit=2&ids=9,8,7&after=2>; rel="next"');
  const newest = await client.get(`/v1/pets?limit=2&ids=9,1,8,2,7&order=desc`);
  expect(newest.headers.get("Link")).toBe(
    '<http://petstore.test/v1/pets?limit=2&ids=1,2,7&order=desc&after=8>; rel="next"',
  );
});

test.each(["", ",", "1,", ",1", "1,,2", "0", "-1", "1.0", "01", "a", "1 2", "1;2", "9223372036854775808"])(
  "%p is refused with the bounds",
  async (ids) => {
    expect(await client.get(`/v1/pets?ids=${ids}`)).toMatchObject({
      status: 400,
      body: {
        code: "invalid_parameter",
        details: [
          {
            in: "query",
            field: "ids",
            problem: "must be 1 to 100 ids, separated by commas, each an integer from 1 to 9223372036854775807",
          },
        ],
      },
    });
  },
);
