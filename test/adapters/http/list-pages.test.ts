import { beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { PetStatus } from "../../../src/domain/pets.ts";
import { type Answer, BASE_URL, WAYS } from "../../support/client.ts";
import { describes } from "../../support/descriptions.ts";
import { states } from "../../support/markdown.ts";
import { addPets } from "../../support/pets.ts";
import { useKey, useService } from "../../support/use-service.ts";

const PETS = 60;

const service = useService();
const { client } = useKey(service);
/** The status of each pet, by id. */
let statuses: Map<number, string>;
beforeAll(async () => {
  const added = await addPets(
    service,
    Array.from({ length: PETS }, (_, i) => ({
      name: `Pet ${i}`,
      categoryId: 1n,
      status: PetStatus.options[(i * i) % 3] ?? "sold",
    })),
  );
  statuses = new Map(added.map(({ id, status }) => [id, status]));
});

/** The path of the next page in the response's Link. */
function nextOf(answer: Answer): string | undefined {
  const link = answer.headers.get("Link");
  if (link === null) return undefined;
  const target = /^<([^>]+)>; rel="next"$/.exec(link)?.[1] ?? "";
  expect(target).toStartWith(BASE_URL);
  return target.slice(BASE_URL.length - "/v1".length);
}

async function walk(path: string): Promise<number[][]> {
  const pages: number[][] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const answer: Answer = await client.get(next);
    expect(answer.status).toBe(200);
    pages.push(answer.body.map((pet: { id: number }) => pet.id));
    next = nextOf(answer);
  }
  return pages;
}

test("following Link from any page returns every pet once, in order", async () => {
  describes("NextPage", 'The next page, if there is one: `<absolute URL>; rel="next"`.');
  states("docs/paging.md", "Follow it until there is none.", "Therefore no pet is skipped or repeated");
  const query = fc.record(
    {
      limit: fc.integer({ min: 1, max: 25 }),
      status: fc.constantFrom(...PetStatus.options),
      after: fc.nat(PETS + 5),
      order: fc.constantFrom("asc", "desc"),
      ids: fc.array(fc.integer({ min: 1, max: PETS + 10 }), { minLength: 1, maxLength: 40 }),
    },
    { requiredKeys: ["limit"] },
  );
  const walked = fc.asyncProperty(query, async ({ limit, status, after, order, ids }) => {
    const isFurther = (id: number) => after === undefined || (order === "desc" ? id < after : id > after);
    const ascending = [...statuses]
      .filter(([id, its]) => isFurther(id) && (status ?? its) === its && (ids?.includes(id) ?? true))
      .map(([id]) => id);
    const expected = order === "desc" ? ascending.reverse() : ascending;
    const search = new URLSearchParams({ limit: String(limit) });
    if (after !== undefined) search.set("after", String(after));
    if (order !== undefined) search.set("order", order);
    if (status !== undefined) search.set("status", status);
    if (ids !== undefined) search.set("ids", String(ids));
    const pages = await walk(`/v1/pets?${search}`);
    expect(pages.flat()).toEqual(expected);
    expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
    if (pages.length > 1) expect(pages.at(-1)).not.toEqual([]);
  });
  await fc.assert(walked, { numRuns: 60 });
});

test("the link is absolute, and has limit, status and after filled in", async () => {
  const answer = await client.get("/v1/pets?status=available&limit=3");
  const last = answer.body.at(-1).id;
  expect(answer.headers.get("Link")).toBe(`<${BASE_URL}/pets?limit=3&status=available&after=${last}>; rel="next"`);
  states("docs/paging.md", "If more pets follow, the `Link` header has the complete address of the next page:");
});

test("the default limit is filled in too", async () => {
  expect((await client.get("/v1/pets")).headers.get("Link")).toBe(`<${BASE_URL}/pets?limit=20&after=20>; rel="next"`);
});

test("a page that ends with the last pet has no link", async () => {
  expect((await client.get(`/v1/pets?after=${PETS - 20}`)).headers.has("Link")).toBe(false);
  expect((await client.get(`/v1/pets?after=${PETS - 21}`)).headers.has("Link")).toBe(true);
});

test("a pet added between two pages is on the later one", async () => {
  states(
    "docs/paging.md",
    "A page begins after an id, not at an offset. Therefore no pet is skipped or repeated when pets are added meanwhile, and the last page is as fast as the first.",
  );
  states(
    "docs/paging.md",
    "New pets have greater ids: to find them, send `after` with the last id that you know, or list the newest first.",
  );
  const before = await client.get(`/v1/pets?after=${PETS - 1}&limit=1`);
  expect(before.headers.has("Link")).toBe(false);
  const added = await client.post("/v1/pets", { name: "Late", categoryId: 1 });
  const after = await client.get(`/v1/pets?after=${PETS - 1}&limit=1`);
  expect(nextOf(after)).toBeDefined();
  expect((await walk(`/v1/pets?after=${PETS - 1}&limit=1`)).flat()).toEqual([PETS, added.body.id]);
  expect((await client.get("/v1/pets?order=desc&limit=1")).body).toEqual([added.body]);
  states(
    "docs/paging.md",
    "A page begins after an id, not at an offset. Therefore no pet is skipped or repeated when pets are added meanwhile",
  );
});

test("a cached page has the same bytes and headers as when it was read", async () => {
  const headersOf = ({ headers }: Answer) =>
    ["Link", "Content-Type", "X-RateLimit-Limit"].map((name) => headers.get(name));
  for (const query of [
    "",
    "?limit=7",
    "?limit=7&status=sold",
    "?ids=1,2,3&limit=2",
    "?order=desc",
    "?after=58&unknown=1",
  ]) {
    // The first request reads the page, the second caches it, the third gets the cached page.
    const read = await client.get(`/v1/pets${query}`);
    const kept = await client.get(`/v1/pets${query}`);
    const known = await client.get(`/v1/pets${query}`);
    expect(known.text).toBe(read.text);
    expect(kept.text).toBe(read.text);
    expect(headersOf(known)).toEqual(headersOf(read));
  }
});

test.each(WAYS)("a change is on the next page that is read, also where it was cached, %s", async (_, headers) => {
  const { id } = (await client.post("/v1/pets", { name: "Before", categoryId: 1 })).body;
  const read = async () => (await client.get(`/v1/pets?ids=${id}`, headers)).body[0].name;
  for (const name of ["Once", "Twice"]) {
    for (let i = 0; i < 3; i++) await read();
    await client.patch(`/v1/pets/${id}`, { name });
    expect(await read()).toBe(name);
  }
});
