import { beforeAll, describe, expect, test } from "bun:test";
import { ConditionalChange } from "../../../src/adapters/http/responses.ts";
import { states } from "../../support/markdown.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service);
beforeAll(async () => {
  for (const name of ["Dogs", "Cats"]) await client.post("/v1/categories", { name });
  for (const name of ["Rex", "Mia", "Bo", "Ordered"]) await client.post("/v1/pets", { name, categoryId: 1 });
  await client.post("/v1/store/orders", { petId: 4 });
});

const READS = [
  ...["/v1/pets", "/v1/pets?limit=2", "/v1/pets?ids=1", "/v1/pets?ids=77", "/v1/pets/1"],
  ...["/v1/categories", "/v1/categories?limit=1", "/v1/categories?ids=1", "/v1/categories/1"],
  ...["/v1/store/orders", "/v1/store/orders?petId=77", "/v1/store/orders?ids=1", "/v1/store/orders/1"],
  "/v1/store/inventory",
];

const etagOf = async (path: string) => (await client.get(path)).headers.get("ETag") ?? "";

describe("a read may be kept by its caller, who asks each time whether it is current:", () => {
  test("is what the documents say", () => {
    states(
      "docs/changing-pets.md",
      "Every successful read under `/v1` has an `ETag` and `Cache-Control: private, no-cache`: keep the response, and ask with `If-None-Match` whether it is current.",
    );
  });
  test.each([...READS, "/v1/usage", "/v1/key"])("%s", async (path) => {
    states(
      "docs/interface.md",
      "Each successful read under `/v1` has an `ETag`, `Cache-Control: private, no-cache` and `Vary: Authorization`;",
    );
    for (const method of ["GET", "HEAD"]) {
      const { status, headers } = await client.request(path, { method });
      expect(status).toBe(200);
      expect(headers.get("Cache-Control")).toBe("private, no-cache");
      expect(headers.get("Vary")).toBe("Authorization");
      expect(headers.get("ETag")).toMatch(/^"[!#-~]+"$/);
    }
  });
});

describe("a read of what the caller has is 304, which counts and has every other header:", () => {
  test("is what the documents say", () => {
    states(
      "docs/changing-pets.md",
      "If it is, the response is 304 without a body. It counts as a request, and has all other headers.",
    );
  });
  test.each(READS)("%s", async (path) => {
    states("docs/interface.md", "with a current ETag in `If-None-Match` the response is 304.");
    const first = await client.get(path);
    const tag = first.headers.get("ETag");
    const suffixed = `${tag?.slice(0, -1)}-gzip"`;
    for (const condition of [
      `${tag}`,
      `W/${tag}`,
      `"other", ${tag}`,
      `"a,b", W/"c" ,, ${tag} ,`,
      suffixed,
      `W/${suffixed}`,
      "*",
    ]) {
      const again = await client.get(path, { "If-None-Match": condition });
      expect([again.status, again.text]).toEqual([304, ""]);
      const names = ["Cache-Control", "ETag", "Link", "Vary", "X-RateLimit-Limit", "RateLimit-Policy", "Deprecation"];
      for (const name of names) expect([name, again.headers.get(name)]).toEqual([name, first.headers.get(name)]);
      expect(Number(again.headers.get("X-RateLimit-Remaining"))).toBeLessThan(
        Number(first.headers.get("X-RateLimit-Remaining")),
      );
    }
    for (const condition of [
      `${tag} ${tag}`,
      '"other"',
      '"x,*,y"',
      `"x,${tag},y"`,
      "*, *",
      "",
      '"',
      "x".repeat(5_000),
      `${tag}x`,
    ]) {
      expect((await client.get(path, { "If-None-Match": condition })).status).toBe(200);
    }
  });
  states(
    "docs/changing-pets.md",
    "If it is, the response is 304 without a body. It counts as a request, and has all other headers.",
  );
});

test("a list of tags is read in time that is in proportion to its length, up to 256 elements", async () => {
  const tag = await etagOf("/v1/pets/1");
  const statusFor = async (list: string) => (await client.get("/v1/pets/1", { "If-None-Match": list })).status;
  for (const others of [",".repeat(255), '"x",'.repeat(255), " , ".repeat(255)]) {
    expect([await statusFor(others + tag), await statusFor(`,${others}${tag}`)]).toEqual([304, 200]);
  }
  const { "If-Match": header } = ConditionalChange.shape;
  const { user } = process.cpuUsage();
  for (const list of [",", " ", ' "', '"x" ', '"v1-gz', '"-gzip', "W/", '"x",']) {
    for (let i = 0; i < 50; i++) header.parse(list.repeat(14_000 / list.length));
  }
  // One list of commas took 5 ms.
  expect(process.cpuUsage().user - user).toBeLessThan(500_000);
});

test("a read has another ETag after every change that it shows, and the same one after others", async () => {
  states("CHANGELOG.md", "`If-None-Match` gets 304, and `If-Match` changes or removes only the state that was seen.");
  states("docs/changing-pets.md", "The `ETag` of a page changes with its items");
  const paths = ["/v1/pets", "/v1/pets?ids=1", "/v1/pets/1", "/v1/pets?ids=2,3", "/v1/pets?ids=1,2&order=desc"];
  const etags = () => Promise.all(paths.map(etagOf));
  const change = (body: string) => client.request("/v1/pets/1", { method: "PATCH", headers: JSON_TYPE, body });
  const seen = [await etags()];
  for (const body of ['{"name":"Max"}', '{"name":"Rex"}', '{"status":"sold"}', '{"status":"available"}']) {
    expect((await change(body)).status).toBe(200);
    seen.push(await etags());
  }
  for (const pet of [1, 2]) expect(new Set(seen.map((tags) => tags[pet])).size).toBe(seen.length);
  for (const tags of seen) expect(tags[1]).toBe(tags[2] ?? "");
  expect(new Set(seen.map((tags) => tags[3])).size).toBe(1);
  for (const list of [0, 4]) {
    const tags = seen.map((all) => all[list]);
    for (const [i, tag] of tags.entries()) if (i > 0) expect(tag).not.toBe(tags[i - 1] ?? "");
  }
});

test.each([
  ["/v1/pets", { name: "Rex", categoryId: 77 }, "&categoryId=77"],
  ["/v1/categories", { name: "Last" }, ""],
])(
  "the ETag of a full page of %s changes when another page follows, and not with what is beyond",
  async (path, body, filter) => {
    states("docs/changing-pets.md", "and its `Link`.");
    const add = (name: string) => client.post(path, { ...body, name });
    const first = await add("First");
    await add("Second");
    const page = `${path}?after=${first.body.id - 1}&limit=2${filter}`;
    const last = await client.get(page);
    expect([last.body.length, last.headers.get("Link")]).toEqual([2, null]);
    const condition = { "If-None-Match": last.headers.get("ETag") ?? "" };
    expect((await client.get(page, condition)).status).toBe(304);

    await add("Third");
    const followed = await client.get(page, condition);
    expect([followed.status, followed.text]).toEqual([200, last.text]);
    expect(followed.headers.get("Link")).toEndWith('; rel="next"');
    await add("Fourth");
    const again = await client.get(page, { "If-None-Match": followed.headers.get("ETag") ?? "" });
    expect([again.status, again.headers.get("Link")]).toEqual([304, followed.headers.get("Link")]);
    states("docs/changing-pets.md", "The `ETag` of a page changes with its items and its `Link`.");
  },
);

test("a pet's ETag is in the responses to creation, change, and each single read", async () => {
  states(
    "docs/changing-pets.md",
    "The responses to a creation, a change, a read by id and a list of exactly one id have it.",
  );
  const { body, headers } = await client.post("/v1/pets", { name: "Kit", categoryId: 1 });
  const path = `/v1/pets/${body.id}`;
  expect(headers.get("ETag")).toBe('"v1"');
  expect([await etagOf(path), await etagOf(`/v1/pets?ids=${body.id}`)]).toEqual(['"v1"', '"v1"']);
  expect(await etagOf(`/v1/pets?ids=${body.id}&ids=${body.id}`)).toBe('"v1"');
  const changed = await client.request(path, { method: "PATCH", headers: JSON_TYPE, body: '{"name":"Kat"}' });
  expect(changed.headers.get("ETag")).toBe('"v2"');
  expect([await etagOf(path), await etagOf(`/v1/pets?ids=${body.id}`)]).toEqual(['"v2"', '"v2"']);
  states(
    "docs/changing-pets.md",
    "The responses to a creation, a change, a read by id and a list of exactly one id have it.",
  );
});

test("a category or an order has another ETag after every change, the same in each of its reads", async () => {
  states(
    "docs/changing-pets.md",
    "Every pet, every category and every order has an ETag, which changes with every change.",
  );
  const { body: pet } = await client.post("/v1/pets", { name: "Rex", categoryId: 9 });
  const { body: order, headers: created } = await client.post("/v1/store/orders", { petId: pet.id });
  expect(created.get("ETag")).toBe('"v1"');
  const tagsOf = async (path: string, id: number) => {
    const tags = [await etagOf(`${path}/${id}`), await etagOf(`${path}?ids=${id}`)];
    expect(tags[0]).toBe(tags[1] ?? "");
    return tags[0];
  };
  const orderTags = [await tagsOf("/v1/store/orders", order.id)];
  for (const status of ["approved", "delivered"]) {
    const { headers } = await client.patch(`/v1/store/orders/${order.id}`, { status });
    orderTags.push(await tagsOf("/v1/store/orders", order.id));
    expect(headers.get("ETag")).toBe(orderTags.at(-1) ?? "");
  }
  expect(orderTags).toEqual(['"v1"', '"v2"', '"v3"']);
  const categoryTags = new Set<string | undefined>();
  for (const name of ["Fish", "fish", "FISH"]) {
    const { headers } = await client.put("/v1/categories/50", { name });
    const tag = await tagsOf("/v1/categories", 50);
    expect(headers.get("ETag")).toBe(tag ?? "");
    categoryTags.add(tag);
  }
  expect(categoryTags.size).toBe(3);
  states(
    "docs/changing-pets.md",
    "Every pet, every category and every order has an ETag, which changes with every change.",
  );
});

const JSON_TYPE = { "Content-Type": "application/json" };
