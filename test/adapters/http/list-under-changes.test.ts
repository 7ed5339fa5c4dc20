import { beforeAll, describe, expect, test } from "bun:test";
import { type Answer, BASE_URL } from "../../support/client.ts";
import { states } from "../../support/markdown.ts";
import { useKey, useService } from "../../support/use-service.ts";

/** Pets of both kinds alternate. */
const STEADY = 60;
const CHANGING = 60;
const CHANGERS = 4;
const WALKS = 4;
const MATCHING = { name: "Rex", categoryId: 7, status: "available" };

const service = useService();
const { client } = useKey(service);
/** The pets that stay as they are. */
const steady: number[] = [];
/** The pets that are changed and removed, and replaced. */
const changing: number[] = [];
let replaced = 0;

const create = async (): Promise<number> => (await client.post("/v1/pets", MATCHING)).body.id;
const patch = (id: number, body: object) =>
  client.request(`/v1/pets/${id}`, {
    method: "PATCH",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });

beforeAll(async () => {
  for (let i = 0; i < STEADY + CHANGING; i++) (i % 2 === 0 ? steady : changing).push(await create());
});

/** Takes a pet in and out of each filter, removes it, and adds another, until `isOver`. */
async function change(isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const [id = 0] = changing.splice(Math.floor(Math.random() * changing.length), 1);
    await patch(id, { status: "sold" });
    await patch(id, { name: "Mia", categoryId: 8 });
    await patch(id, MATCHING);
    expect(await client.request(`/v1/pets/${id}`, { method: "DELETE" })).toMatchObject({ status: 204 });
    changing.push(await create());
    replaced += 1;
  }
}

/** The ids on all pages, as a client finds them that follows `Link`. */
async function walk(query: string): Promise<number[]> {
  const ids: number[] = [];
  for (let path: string | undefined = `/v1/pets?limit=7&${query}`; path !== undefined; ) {
    const { status, headers, body }: Answer = await client.get(path);
    expect(status).toBe(200);
    ids.push(...body.map(({ id }: { id: number }) => id));
    path = /^<([^>]+)>; rel="next"$/.exec(headers.get("Link") ?? "")?.[1]?.replace(BASE_URL, "/v1");
  }
  return ids;
}

describe("a client that follows the pages while others create, change and remove pets finds every other pet once:", () => {
  const filters = ["", "status=available", "categoryId=7", "name=rex", "status=available&categoryId=7&name=REX"];
  test.each(filters.flatMap((filter) => [`order=asc&${filter}`, `order=desc&${filter}`]))("%s", async (query) => {
    let isOver = false;
    replaced = 0;
    const changers = Array.from({ length: CHANGERS }, () => change(() => isOver));
    try {
      // Until enough has changed meanwhile.
      for (let i = 0; i < WALKS || replaced <= CHANGERS; i++) {
        const ids = await walk(query);
        const sorted = ids.toSorted((a, b) => (query.startsWith("order=asc") ? a - b : b - a));
        expect(ids).toEqual(sorted);
        expect(new Set(ids).size).toBe(ids.length);
        expect(steady.filter((id) => !ids.includes(id))).toEqual([]);
      }
    } finally {
      isOver = true;
      await Promise.all(changers);
    }
  });
  states(
    "docs/paging.md",
    "A client that follows a list of pets, categories or orders by `after` with the last id misses none, on every store and over any number of nodes: a page ends before the first id that may still appear.",
  );
});
