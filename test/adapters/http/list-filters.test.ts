import { beforeAll, describe, expect, test } from "bun:test";
import { states } from "../../support/markdown.ts";
import { addPets } from "../../support/pets.ts";
import { useKey, useOperator, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service);
const { client: admin } = useOperator(service);
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
    states(
      "docs/paging.md",
      "`name` | string | none | 1 to 255 characters, as in a NewPet, and `*` or `\\*` | Only pets with this name,",
      "Case is ignored: names are compared in lower case, in Unicode's form NFKC.",
    );
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
  test("is what the documents say", () => {
    states("docs/errors.md", "`GET /pets?categoryId=…` lists them.");
    states("docs/categories.md", "To list the pets of a category, send its id as `categoryId` to `GET /pets`.");
  });
  test.each([
    ["1", [1, 4, 5]],
    ["9223372036854775807", [2]],
    ["9223372036854775806", []],
    ["-9223372036854775808", [3]],
    ["0", [6, 7]],
  ])("%s", async (categoryId, ids) => {
    states(
      "docs/paging.md",
      "`categoryId` | integer (int64) | none | −9223372036854775808 to 9223372036854775807 | Only pets of this category.",
    );
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

describe("a name with * at its end matches names that begin so:", () => {
  beforeAll(async () => {
    await addPets(service, [
      { name: "Star*", categoryId: 3n },
      { name: "star\\*", categoryId: 3n },
      { name: "st*r", categoryId: 3n },
      { name: "100%_", categoryId: 3n, status: "sold" },
      { name: "1000", categoryId: 3n },
      { name: " [s]", categoryId: 3n },
    ]);
  });
  const namesOf = async (query: Record<string, string>): Promise<string[]> => {
    const answer = await client.get(`/v1/pets?${new URLSearchParams({ categoryId: "3", ...query })}`);
    expect(answer.status).toBe(200);
    return answer.body.map(({ name }: { name: string }) => name);
  };

  test.each([
    ["STAR*", ["Star*", "star\\*"]],
    ["star\\*", ["Star*"]],
    ["star\\\\*", ["star\\*"]],
    ["star\\\\\\*", ["star\\*"]],
    ["star\\\\\\\\*", []],
    ["star**", ["Star*"]],
    ["st*r", ["st*r"]],
    ["st*r*", ["st*r"]],
    ["s\\*r", []],
    ["100%*", ["100%_"]],
    ["100_*", []],
    ["1000*", ["1000"]],
    ["%*", []],
    ["[s]*", []],
    [" [*", [" [s]"]],
    ["\uff33*", ["Star*", "star\\*", "st*r"]],
    [`${"x".repeat(255)}*`, []],
    [`${"\\".repeat(510)}*`, []],
    ["\u{10ffff}*", []],
  ])("%.20p", async (name, names) => {
    expect(await namesOf({ name })).toEqual(names);
  });

  test("* alone is every name", async () => {
    states(
      "CHANGELOG.md",
      "A `*` at the end of the parameter `name` of lists of pets is no part of the name any more: write `\\*`.",
      "`name=Rex*` lists the pets whose names begin so",
    );
    states("docs/paging.md", "or whose names begin so.");
    expect(await namesOf({ name: "*" })).toEqual(await namesOf({}));
  });

  test("the Unicode form is that of whole names", async () => {
    states(
      "docs/paging.md",
      "`e*` does not find `Élan`, `é*` does, with either form of the `é`. A sigma at the end stands for both of its small forms.",
    );
    states("docs/paging.md", "Beginnings are compared as names are. A letter and its accent are one character there:");
    expect(await idsOf({ name: "cafe\u0301*" })).toEqual([5, 6]);
    expect(await idsOf({ name: "cafe*" })).toEqual([]);
    expect(await idsOf({ name: `${"\ufdfa".repeat(255)}*` })).toEqual([7]);
    expect(await idsOf({ name: `${"\ufdfa".repeat(29)}*` })).toEqual([7]);
    expect(await idsOf({ name: "\ufdfa*" })).toEqual([7]);
    await addPets(
      service,
      ["\u00c9lan", "\u039f\u03b4\u03cc\u03c2", "\u039f\u03b4\u03cc\u03c3\u03b7\u03bc\u03bf"].map((name) => ({
        name,
        categoryId: 4n,
      })),
    );
    const found = async (name: string) => (await idsOf({ name, categoryId: "4" })).length;
    expect([await found("e*"), await found("\u00e9*"), await found("e\u0301*")]).toEqual([0, 1, 1]);
    for (const sigma of ["\u03c3", "\u03c2"]) expect(await found(`\u03bf\u03b4\u03cc${sigma}*`)).toBe(2);
  });

  test("escaped in the URL or not", async () => {
    for (const name of ["re*", "re%2a", "%52E*", "r%65%2A"])
      expect((await client.get(`/v1/pets?name=${name}&limit=1`)).body).toMatchObject([{ name: "Rex" }]);
  });

  test("other filters, the order and pages combine with it", async () => {
    expect(await namesOf({ name: "100*", status: "sold" })).toEqual(["100%_"]);
    expect(await idsOf({ name: "re*", order: "desc", limit: "2", after: "4" })).toEqual([3, 2]);
    expect(await idsOf({ name: "re*", ids: "4,2,5" })).toEqual([2, 4]);
    const first = await client.get("/v1/pets?name=re*&limit=3");
    const next = /<([^>]*)>/.exec(first.headers.get("Link") ?? "")?.[1] ?? "";
    expect(new URL(next).search).toBe("?limit=3&name=re*&after=3");
    const last = await client.get(`/v1/pets${new URL(next).search}`);
    expect(last.body).toMatchObject([{ id: 4 }]);
    expect(last.headers.get("Link")).toBeNull();
    states("docs/paging.md", "All other parameters combine with it.");
  });

  test.each(["\u0000*", `${"x".repeat(256)}*`, `${"x".repeat(255)}\\*`, "a\nb*", " *", "\\".repeat(5_000)])(
    "%.20p is refused",
    async (name) => {
      const { status, body } = await client.get(`/v1/pets?${new URLSearchParams({ name })}`);
      const problem = "must be 1 to 255 characters, not blank, without control characters or lone surrogates";
      expect([status, body.code, body.details]).toEqual([
        400,
        "invalid_parameter",
        [{ in: "query", field: "name", problem }],
      ]);
    },
  );
});

test("a * in the name of a category is a part of it", async () => {
  await client.post("/v1/categories", { name: "Dogs" });
  await client.post("/v1/categories", { name: "D*" });
  expect((await client.get("/v1/categories?name=d*")).body).toMatchObject([{ name: "D*" }]);
});

test("filters combine, and the next page keeps them", async () => {
  states("docs/paging.md", "You can combine all parameters.");
  states("docs/paging.md", "You can combine all parameters.");
  expect(await idsOf({ name: "rex", status: "sold" })).toEqual([2]);
  expect(await idsOf({ categoryId: "1", status: "sold" })).toEqual([4]);
  expect(await idsOf({ name: "rex", ids: "1,3,4" })).toEqual([1, 3]);
  expect(await idsOf({ name: "rex", order: "desc", after: "3" })).toEqual([2, 1]);
  const first = await client.get("/v1/pets?name=caf%C3%A9%20%26%20co&limit=1");
  const next = /<([^>]*)>/.exec(first.headers.get("Link") ?? "")?.[1] ?? "";
  expect(new URL(next).search).toBe("?limit=1&name=caf%C3%A9%20%26%20co&after=5");
  expect((await client.get(`/v1/pets${new URL(next).search}`)).body.map(({ id }: { id: number }) => id)).toEqual([6]);
});

test("a page of a frequent beginning may be cut short, also to nothing: its Link leads to the pets that follow", async () => {
  states(
    "docs/paging.md",
    "If the names of more than 10,000 pets begin so, the service goes through the pets in the order of their ids, 10,000 of them at most for a page.",
    "With other filters than `status` both are left out if more than 10,000 pets have to be looked at,",
  );
  const before = (await client.get("/v1/pets?order=desc&limit=1")).body[0].id;
  const some = Array.from({ length: 10_001 }, (_, i) => ({ name: `Often ${i}`, categoryId: i < 10_000 ? 8n : 7n }));
  await addPets(service, [...some.toReversed(), ...some]);
  const pageFrom = async (query: string) => {
    const { body, headers } = await client.get(`/v1/pets?${query}`, { Prefer: "count=exact" });
    expect(headers.get("Petstore-Count")).toBeNull();
    const next = /<([^>]*)>/.exec(headers.get("Link") ?? "")?.[1];
    return {
      ids: body.map(({ id }: { id: number }) => id),
      next: next === undefined ? "" : new URL(next).search.slice(1),
    };
  };
  const first = await pageFrom(`name=often*&after=${before}&limit=1`);
  expect(first.ids).toEqual([before + 1]);
  expect(await pageFrom(`limit=2&name=o*&categoryId=8&after=${before + 1}`)).toEqual({
    ids: [before + 2, before + 3],
    next: `limit=2&name=o*&categoryId=8&after=${before + 3}`,
  });
  const tooLong = `name=${encodeURIComponent(`${"\ufdfa".repeat(29)}*`)}`;
  const empty = await pageFrom(`${tooLong}&after=${before}`);
  expect(empty).toEqual({ ids: [], next: `limit=20&${tooLong}&after=${before + 10_000}` });
  const rest = await pageFrom(empty.next);
  expect(rest).toEqual({ ids: [], next: `limit=20&${tooLong}&after=${before + 20_000}` });
  expect(await pageFrom(rest.next)).toEqual({ ids: [], next: "" });
  expect((await admin.get(`/admin/v1/pets?${tooLong}&after=${before}`)).body).toEqual({
    pets: [],
    next: before + 10_000,
    total: null,
  });
  expect((await admin.get(`/admin/v1/pets?name=often*&limit=1&after=${before + 20_001}`)).body).toMatchObject({
    pets: [{ id: before + 20_002 }],
    next: null,
    total: null,
  });
  // Those that match are far apart: each page that is searched has one at its begin, or none.
  await addPets(service, [
    ...Array.from({ length: 1_200 }, () => ({ name: "Seldom", categoryId: 8n })),
    ...some.slice(0, 2),
  ]);
  const last = before + 20_002;
  expect(await pageFrom(`limit=3&name=often*&after=${last - 1}`)).toEqual({
    ids: [last, last + 1_201, last + 1_202],
    next: "",
  });
  const backwards = await pageFrom(`limit=3&name=often*&order=desc`);
  expect(backwards.ids).toEqual([last + 1_202, last + 1_201, last]);
  states(
    "docs/paging.md",
    "Such a page may hold fewer pets than `limit`, or none, although more follow: its `Link` then leads on behind the last pet that was looked at.",
  );
});
