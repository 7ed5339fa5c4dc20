import { beforeAll, describe, expect, test } from "bun:test";
import { operations as administrationOperations } from "../../../src/adapters/http/admin/operations/index.ts";
import { operations } from "../../../src/adapters/http/operations/index.ts";
import { states } from "../../support/markdown.ts";
import { addPets } from "../../support/pets.ts";
import { useKey, useOperator, useService } from "../../support/use-service.ts";

const service = useService();
const { client, key } = useKey(service);
const { client: admin } = useOperator(service);
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
    states("docs/quick-start.md", "A list has pages of 20 pets, or up to 100 with `limit`.");
    expect(await idsOf("")).toEqual(upTo(20));
    expect(await idsOf("?limit=100")).toEqual(upTo(100));
  });

  test.each([1, 2, 99, 100])("of %d returns this many pets, by id, ascending", async (limit) => {
    states("docs/paging.md", "`limit` | integer | 20, or all of `ids` | 1 to 100 | At most this many pets.");
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
    states(
      "docs/paging.md",
      "`status` | PetStatus | none | `available`, `pending`, `sold` | Only pets with this status.",
    );
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

describe("order", () => {
  test("desc gives the newest pets first", async () => {
    expect(await idsOf("?order=desc&limit=3")).toEqual([120, 119, 118]);
    expect(await idsOf("?order=desc&limit=2&status=sold")).toEqual([120, 117]);
    states(
      "docs/paging.md",
      "returns pets by id, one page at a time: the oldest first, or with `order=desc` the newest.",
    );
  });

  test("asc is the default", async () => {
    states("docs/paging.md", "`order` | string | `asc` | `asc`, `desc` | By id: ascending, or descending.");
    expect(await idsOf("?order=asc&limit=3")).toEqual([1, 2, 3]);
  });

  test("makes after mean smaller ids", async () => {
    states("docs/paging.md", "`order` | string | `asc` | `asc`, `desc` | By id: ascending, or descending.");
    expect(await idsOf("?order=desc&after=4")).toEqual([3, 2, 1]);
    expect(await idsOf("?order=desc&after=1")).toEqual([]);
    expect(await idsOf("?order=desc&after=0")).toEqual([]);
    expect(await idsOf("?order=desc&after=9223372036854775807&limit=1")).toEqual([120]);
  });

  test.each(["", "DESC", "newest", "desc,asc"])("%p is refused with the values there are", async (order) => {
    expect(await client.get(`/v1/pets?order=${order}`)).toMatchObject({
      status: 400,
      body: { details: [{ in: "query", field: "order", problem: "must be one of asc, desc" }] },
    });
  });
});

describe("parameters", () => {
  test.each(["limit=1&limit=1", "status=sold&status=sold", "after=1&after=2", "order=asc&order=asc"])(
    "repeated as %s are refused",
    async (query) => {
      expect(await client.get(`/v1/pets?${query}`)).toMatchObject({
        status: 400,
        body: { code: "invalid_parameter", details: [{ in: "query", problem: "must be given once" }] },
      });
    },
  );

  test("that are invalid are all reported at once", async () => {
    const answer = await client.get("/v1/pets?ids=&after=x&limit=0&status=none&order=up");
    expect(answer.body.details.map(({ field }: { field: string }) => field).sort()).toEqual([
      "after",
      "ids",
      "limit",
      "order",
      "status",
    ]);
  });

  test("that are unknown are ignored, even when repeated", async () => {
    expect(await idsOf("?limit=1&sort=name&sort=id&Limit=7&sort%5B%5D=3&%5Blimit%5D=4&limi[t]=5")).toEqual([1]);
    states("docs/paging.md", "Unknown parameters are ignored, unless you prefer strict handling");
  });

  test("may be percent-encoded, or empty", async () => {
    expect(await idsOf("?%6Cimit=%31")).toEqual([1]);
    expect(await idsOf("?")).toHaveLength(20);
    expect(await idsOf("?&&")).toHaveLength(20);
  });
});

const INTERFACES = [
  ["/v1", operations, client],
  ["/admin/v1", administrationOperations, admin],
] as const;

describe("parameters with brackets, as PHP and others write lists,", () => {
  test.each(["[x]=1", "[", "[0", "[0]x=1", "[0][]=1", "[0][1]=1", "[-1]=1", "[ 0]=1", "%5b%5D%5b%5D=1", "[%FF]=1"])(
    "are refused as a parameter of any operation that cannot be meant: %s",
    async (rest) => {
      for (const [prefix, all, caller] of INTERFACES) {
        for (const { id, method, path, request } of all) {
          const url = `${prefix}${path.replace("{id}", key.id)}`;
          // An import reads its parameters as other operations do, once its file has a type.
          const init = {
            method: method.toUpperCase(),
            headers: method === "get" ? {} : { "Content-Type": "text/csv" },
          };
          for (const name of Object.keys(request?.query?.shape ?? {})) {
            if (id === "resetStaging") continue;
            const { status, body } = await caller.request(`${url}?${name}${rest}`, init);
            expect({ id, name, status, details: body.details }).toMatchObject({
              ...{ id, name, status: 400 },
              details: [{ in: "query", field: name, problem: expect.stringMatching(/^must be written /) }],
            });
          }
        }
      }
    },
  );

  test.each(["limit[]=3", "status[]=sold", "status%5B%5D=sold", "status[0]=sold", "after%5b0%5d=3", "name[]=Rex"])(
    "are refused for a parameter with one value: %s",
    async (query) => {
      const field = query.replace(/(\[|%).*/, "");
      const problem = "must be written without brackets";
      for (const path of ["/v1/pets", "/admin/v1/pets"]) {
        const answer = await (path.startsWith("/v1") ? client : admin).get(`${path}?${query}&ids=1`);
        expect(answer).toMatchObject({
          status: 400,
          body: { code: "invalid_parameter", details: [{ in: "query", field, problem }] },
        });
      }
    },
  );

  test.each([
    ["/admin/v1/keys?plan[]=free&plan[]=pro", "/admin/v1/keys?plan=free,pro"],
    ["/admin/v1/keys?plan%5B0%5D=free&plan%5B1%5D=pro", "/admin/v1/keys?plan=free,pro"],
    ["/admin/v1/requests?operation[0]=listPets", "/admin/v1/requests?operation=listPets"],
    ["/admin/v1/pets?ids[0]=7&ids[1]=3", "/admin/v1/pets?ids=3,7"],
  ])("are lists for operators too: %s", async (given, meant) => {
    const [found, expected] = [await admin.get(given), await admin.get(meant)];
    expect([found.status, found.text]).toEqual([200, expected.text]);
  });
});

test("without matching pets the response is an empty array", async () => {
  states("docs/paging.md", "200 | Pets: a bare array", "A list without matches is 200 with `[]`.");
  const answer = await client.get("/v1/pets?after=1000&status=sold");
  expect(answer).toMatchObject({ status: 200, text: "[]" });
  expect(answer.headers.has("Link")).toBe(false);
});
