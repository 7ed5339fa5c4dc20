import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BASE_URL, WAYS } from "../../support/client.ts";
import { describes } from "../../support/descriptions.ts";
import { states } from "../../support/markdown.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service);

/** In the order of their ids. */
const CATEGORIES: [string, string][] = [
  ["-9223372036854775808", "Smallest"],
  ["-2", "Minus two"],
  ["0", "Zero"],
  ["1", "Caf\u00e9 & Co, Ltd"],
  ["2", "Two"],
  ["9007199254740993", "Beyond doubles"],
  ["9223372036854775807", "Largest"],
];
beforeAll(async () => {
  for (const [id, name] of CATEGORIES.toReversed()) await client.put(`/v1/categories/${id}`, { name });
});

const textOf = (chosen: [string, string][]) =>
  `[${chosen.map(([id, name]) => `{"id":${id},"name":${JSON.stringify(name)}}`).join()}]`;
const list = async (query: string, headers = {}) => {
  const answer = await client.get(`/v1/categories${query}`, headers);
  expect(answer.status).toBe(200);
  return answer;
};
const nextOf = ({ headers }: { headers: Headers }) => /^<([^>]+)>; rel="next"$/.exec(headers.get("Link") ?? "")?.[1];

test("returns all, by id, ascending, each digit exact", async () => {
  describes("Categories", "Categories, by id, ascending.");
  describes("listCategories", "Returns a page of categories, by id, ascending.");
  states(
    "docs/categories.md",
    "`GET /categories`, called listCategories, returns a page of categories by id, ascending, negative ids first.",
  );
  const answer = await list("");
  expect(answer.text).toBe(textOf(CATEGORIES));
  expect(answer.headers.has("Link")).toBe(false);
  states("docs/categories.md", "returns a page of categories by id, ascending, negative ids first.");
});

test("docs/categories.md says where negative ids are", async () => {
  const page = readFileSync(join(import.meta.dir, "../../../docs/categories.md"), "utf8");
  const [, place] = /categories by id, ascending, negative ids (first|last)\./.exec(page) ?? [];
  const [first] = (await client.get("/v1/categories")).body;
  expect(place).toBe(first.id < 0 ? "first" : "last");
});

test("following Link returns each category once, from negative ids to the largest", async () => {
  states(
    "docs/categories.md",
    "Follow `Link` to read all pages.",
    "`limit` | integer | 20, or all of `ids` | 1 to 100 | At most this many categories.",
  );
  for (const limit of [1, 2, 3, 7]) {
    const pages: string[] = [];
    let next: string | undefined = `${BASE_URL}/categories?limit=${limit}`;
    while (next !== undefined) {
      expect(next).toStartWith(`${BASE_URL}/categories?`);
      const answer = await list(new URL(next).search);
      pages.push(...(answer.text === "[]" ? [] : [answer.text.slice(1, -1)]));
      next = nextOf(answer);
    }
    expect(`[${pages.join()}]`).toBe(textOf(CATEGORIES));
  }
  states("docs/paging.md", "have pages in the same way; they have no `order`, and are ascending.");
});

describe("after may be any int64:", () => {
  test("is what the documents say", () => {
    states("docs/categories.md", "`after` | integer (int64) | none | any int64 | Only categories with a greater id.");
  });
  test.each([
    ["-9223372036854775808", 1],
    ["-3", 1],
    ["-2", 2],
    ["0", 3],
    ["9007199254740992", 5],
    ["9223372036854775807", 7],
  ])("%s", async (after, from) => {
    expect((await list(`?after=${after}`)).text).toBe(textOf(CATEGORIES.slice(from)));
  });
});

describe("ids", () => {
  test("returns these, each once, in every notation, and leaves out unknown ones", async () => {
    states("docs/errors.md", "A list with `ids` does not fail: it leaves the unknown category out.");
    states(
      "docs/categories.md",
      "`ids` | ids, separated by commas | none | 1 to 100 ids, each any int64 | Only categories with these ids.",
    );
    const expected = textOf(CATEGORIES.filter(([id]) => ["-2", "0", "9007199254740993"].includes(id)));
    for (const query of [
      "?ids=0,-2,9007199254740993,77,0",
      "?ids=0&ids=-2&ids=9007199254740993",
      "?ids[]=0&ids[]=-2,9007199254740993",
      "?ids[0]=0&ids[1]=-2&ids[2]=9007199254740993",
    ])
      expect((await list(query)).text).toBe(expected);
    expect((await list("?ids=77")).text).toBe("[]");
  });

  test("the next page names those that are left", async () => {
    const first = await list("?ids=2,-2,0,1&limit=2");
    expect(nextOf(first)).toBe(`${BASE_URL}/categories?limit=2&ids=2,1&after=0`);
  });

  test("of one category give its own ETag", async () => {
    const { headers } = await client.get("/v1/categories/0");
    expect((await list("?ids=0")).headers.get("ETag")).toBe(headers.get("ETag"));
  });
});

describe("name is the whole name, in any case and Unicode form:", () => {
  test("is what the documents say", () => {
    states("docs/errors.md", "or use the category that has it: `GET /categories?name=…` finds it.");
    states(
      "docs/categories.md",
      "`name` | string | none | 1 to 100 characters | Only the category with this name. Case is ignored.",
    );
  });
  test.each([
    ["CAFE\u0301 & co, ltd", ["1"]],
    ["\uff34wo", ["2"]],
    ["Tw", []],
    ["%", []],
  ])("%s", async (name, ids) => {
    const { text } = await list(`?${new URLSearchParams({ name })}`);
    expect(text).toBe(textOf(CATEGORIES.filter(([id]) => ids.includes(id))));
  });

  test("it combines with the other filters", async () => {
    expect((await list("?name=two&ids=1,2")).text).toBe(textOf(CATEGORIES.slice(4, 5)));
    expect((await list("?name=two&after=2")).text).toBe("[]");
  });
  states(
    "docs/categories.md",
    "`name` | string | none | 1 to 100 characters | Only the category with this name. Case is ignored.",
  );
});

const INT64 = "an integer from -9223372036854775808 to 9223372036854775807";
const NAME = "must be 1 to 100 characters, not blank, without control characters or lone surrogates";

describe("is refused, with the bounds:", () => {
  test.each([
    ["limit", ["0", "101", "", "1.0", "-1"], "must be an integer from 1 to 100"],
    ["after", ["", "x", "01", "-0", "1.0", "9223372036854775808", "-9223372036854775809"], `must be ${INT64}`],
    [
      "ids",
      ["", ",", "1,", "1,,2", "-0", "x", "9223372036854775808"],
      `must be 1 to 100 ids, separated by commas, each ${INT64}`,
    ],
    ["name", ["", " ", "a\nb", "x".repeat(101)], NAME],
  ])("%s", async (field, values, problem) => {
    for (const value of values) {
      const answer = await client.get(`/v1/categories?${new URLSearchParams([[field, value]])}`);
      expect(answer).toMatchObject({
        status: 400,
        body: { code: "invalid_parameter", details: [{ in: "query", field, problem }] },
      });
      expect(answer.body.message).toContain(problem);
    }
  });

  test("more than 100 ids, and a parameter that is repeated", async () => {
    const ids = Array.from({ length: 101 }, (_, i) => i - 50).join();
    expect((await client.get(`/v1/categories?ids=${ids}`)).status).toBe(400);
    expect((await client.get("/v1/categories?limit=1&limit=1")).status).toBe(400);
    expect((await client.get("/v1/categories?order=desc&status=none")).status).toBe(200);
  });
});

test.each(WAYS)("a change is on the next page that is read, also where it was cached, %s", async (_, headers) => {
  for (const name of ["Zwei", "Deux", "Two"]) {
    for (let i = 0; i < 3; i++) await list("?ids=2,1", headers);
    await client.put("/v1/categories/2", { name });
    expect((await list("?ids=2,1", headers)).body[1].name).toBe(name);
  }
});
