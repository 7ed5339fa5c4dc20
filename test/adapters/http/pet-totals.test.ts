import { beforeAll, expect, test } from "bun:test";
import { eventually } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service);

beforeAll(async () => {
  for (const status of ["available", "available", "sold"]) {
    await client.post("/v1/pets", { name: "Rex", categoryId: 1, status });
    await client.post("/v1/pets", { name: "Mia", categoryId: 2, status });
  }
});

const list = async (query: string, Prefer = "count=exact") => {
  const { status, headers, body } = await client.request(`/v1/pets?${query}`, { headers: { Prefer } });
  expect(status).toBe(200);
  return { pets: body.length, count: headers.get("Petstore-Count"), applied: headers.get("Preference-Applied") };
};

test.each([
  ["", 6],
  ["status=available", 4],
  ["name=REX", 3],
  ["categoryId=2&status=sold", 1],
  ["ids=1,2,99&after=1", 2],
  ["name=none", 0],
  ["name=r*", 3],
  ["name=r*&status=sold&categoryId=1", 1],
  ["name=r*&ids=1,2,3", 2],
  ["name=*", 6],
  ["name=none*", 0],
])("a page of %p has the number of pets that match on all pages", async (query, count) => {
  // A busy machine may leave it out.
  let found = await list(`${query}&limit=1`);
  await eventually(async () => {
    found = await list(`${query}&limit=1`);
    return found.count !== null;
  });
  expect(found).toEqual({ pets: Math.min(count, 1), count: String(count), applied: "count=exact" });
  const both = await list(`${query}&limit=1`, "handling=strict, count=exact");
  expect(both.applied).toStartWith("handling=strict");
  states(
    "docs/paging.md",
    "gets in `Petstore-Count` how many pets match on all pages, and in `Preference-Applied` that it does.",
  );
});

test("nothing is counted without the preference", async () => {
  states("docs/paging.md", "A request with this `Prefer` gets in `Petstore-Count`");
  for (const prefer of ["handling=lenient", "count=estimated", "count"]) {
    expect(await list("limit=2", prefer)).toEqual({ pets: 2, count: null, applied: null });
  }
});
