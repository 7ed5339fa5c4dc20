import { describe, expect, test } from "bun:test";
import { locationOf } from "../../support/client.ts";
import { describes } from "../../support/descriptions.ts";
import { states } from "../../support/markdown.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service);

const at = (id: number | bigint | string) => `/v1/categories/${id}`;
const put = (id: number | bigint | string, name: string, headers?: Record<string, string>) =>
  client.put(at(id), { name }, headers);
const tagOf = async (id: number) => (await client.get(at(id))).headers.get("ETag") ?? "";

describe("names an id that has no category, whichever it is:", () => {
  test("is what the documents say", () => {
    states("docs/errors.md", "or add the category under it with putCategory.");
    states(
      "docs/categories.md",
      "If there is none, it adds one under this id: so an id that pets already have gets a name. The id can be any int64, in plain digits, with `-` if it is negative.",
    );
  });
  test.each(["0", "-1", "4711", "9007199254740993", "9223372036854775807", "-9223372036854775808"])(
    "%s",
    async (id) => {
      expect((await client.post("/v1/pets", `{"name":"Rex","categoryId":${id}}`)).status).toBe(201);
      const added = await put(id, `Name of ${id}`);
      expect([added.status, added.text]).toEqual([201, `{"id":${id},"name":"Name of ${id}"}`]);
      expect(locationOf(added)).toBe(at(id));
      expect((await client.get(at(id))).text).toBe(added.text);
      expect((await client.get(`/v1/categories?ids=${id}`)).text).toBe(`[${added.text}]`);
    },
  );
  states(
    "docs/categories.md",
    "If there is none, it adds one under this id: so an id that pets already have gets a name. The id can be any int64, in plain digits, with `-` if it is negative.",
  );
});

test("renames a category, which gets another ETag", async () => {
  states(
    "docs/categories.md",
    "`PUT /categories/{categoryId}`, called putCategory, renames the category with this id.",
    "200 | Category | The category has this name.",
  );
  const first = await put(10, "Dogs");
  const second = await put(10, "Hounds");
  expect([second.status, second.body]).toEqual([200, { id: 10, name: "Hounds" }]);
  expect(second.headers.has("Location")).toBe(false);
  expect(second.headers.get("ETag")).not.toBe(first.headers.get("ETag"));
  expect(await tagOf(10)).toBe(second.headers.get("ETag") ?? "");
});

test("the same name again changes nothing, and another notation of it renames", async () => {
  states("docs/categories.md", "The same name again is 200, and changes nothing.");
  const first = await put(11, "Cats");
  const again = await put(11, "Cats");
  expect([again.status, again.text]).toEqual([200, first.text]);
  expect(again.headers.get("ETag")).toBe(first.headers.get("ETag"));
  expect(await put(11, "CATS")).toMatchObject({ status: 200, body: { id: 11, name: "CATS" } });
});

test("a name that another category has is 409, and changes nothing", async () => {
  states("docs/categories.md", "409 | Error, `category_exists` | Another category has this name.");
  await put(12, "Fish");
  await put(13, "Birds");
  expect(await put(13, "fISH")).toMatchObject({ status: 409, body: { code: "category_exists" } });
  expect(await put(14, "fISH")).toMatchObject({ status: 409, body: { code: "category_exists" } });
  expect((await client.get(at(13))).body.name).toBe("Birds");
  expect((await client.get(at(14))).status).toBe(404);
});

test("a name is free again when its category has another one, or is removed", async () => {
  await put(15, "Mice");
  await put(15, "Rats");
  expect((await put(16, "Mice")).status).toBe(201);
  await client.delete(at(15));
  expect((await put(17, "Rats")).status).toBe(201);
});

describe("with If-Match", () => {
  test("it renames only the state that is meant", async () => {
    describes("putCategory", "With `If-Match` it only renames, with `If-None-Match: *` it only adds.");
    await put(20, "Before");
    const tag = await tagOf(20);
    for (const match of ['"other"', '"v1"', "Before", `${tag}x`, `"x,${tag}"`, ""]) {
      expect(await put(20, "After", { "If-Match": match })).toMatchObject({
        status: 412,
        body: { code: "precondition_failed" },
      });
    }
    expect((await client.get(at(20))).body.name).toBe("Before");
    for (const [i, list] of [
      (its: string) => its,
      (its: string) => `W/${its}`,
      (its: string) => `"a,b", ${its},`,
    ].entries())
      expect((await put(20, `After ${i}`, { "If-Match": list(await tagOf(20)) })).status).toBe(200);
    expect((await put(20, "At last", { "If-Match": "*" })).status).toBe(200);
  });

  test("it adds nothing with any value of the header", async () => {
    states(
      "docs/paging.md",
      "Only a category that a client has put under an id of its own choice (`PUT`) may appear below one that you have seen.",
    );
    states("docs/errors.md", "Or the header is malformed, or there is no category that putCategory could rename.");
    states(
      "docs/categories.md",
      "With `If-Match` the request only renames: where no category exists, it is 412, also with `*`.",
      "412 | Error, `precondition_failed` | The category has none of the ETags in `If-Match`, or does not exist;",
    );
    for (const match of ["*", '"v1"', "v1"]) {
      expect(await put(21, "New", { "If-Match": match })).toMatchObject({
        status: 412,
        body: { code: "precondition_failed" },
      });
    }
    expect((await client.get(at(21))).status).toBe(404);
  });
});

describe("with If-None-Match", () => {
  test("* it only adds", async () => {
    states("docs/errors.md", "Or `If-None-Match` has its ETag or `*`, and the message says so.");
    states("docs/changing-pets.md", "With `*` it must not exist, so that `PUT` only adds.");
    const added = await put(22, "New", { "If-None-Match": "*" });
    expect(added.status).toBe(201);
    for (const name of ["Other", "New"]) {
      expect(await put(22, name, { "If-None-Match": "*" })).toMatchObject({
        status: 412,
        body: {
          code: "precondition_failed",
          message: "The resource exists already, or has an ETag that If-None-Match excludes. Nothing was changed.",
        },
      });
    }
    expect((await client.get(at(22))).text).toBe(added.text);
    expect(await tagOf(22)).toBe(added.headers.get("ETag") ?? "");
    states("docs/changing-pets.md", "With `*` it must not exist, so that `PUT` only adds.");
  });

  test("it renames any state but the one that is excluded", async () => {
    states("docs/categories.md", "or it has one of those in `If-None-Match`.");
    await put(23, "Excluded");
    const tag = await tagOf(23);
    for (const list of [tag, `W/${tag}`, `"x", ${tag}`]) {
      expect((await put(23, "Never", { "If-None-Match": list })).status).toBe(412);
    }
    expect(await put(23, "Renamed", { "If-None-Match": '"x"' })).toMatchObject({ status: 200, body: { id: 23 } });
    expect((await put(23, "Again", { "If-None-Match": tag })).status).toBe(200);
  });

  test("a name that another category has is 412 before it is 409", async () => {
    await put(24, "Taken");
    await put(25, "Its own");
    expect((await put(25, "Taken", { "If-None-Match": "*" })).status).toBe(412);
    expect((await put(26, "Taken", { "If-None-Match": "*" })).status).toBe(409);
  });

  test("and If-Match both must hold", async () => {
    states("docs/changing-pets.md", "With both headers, both must hold.");
    await put(27, "Both");
    const tag = await tagOf(27);
    expect((await put(27, "Never", { "If-Match": tag, "If-None-Match": tag })).status).toBe(412);
    expect((await put(27, "Never", { "If-Match": '"x"', "If-None-Match": '"x"' })).status).toBe(412);
    expect((await put(28, "Never", { "If-Match": "*", "If-None-Match": "*" })).status).toBe(412);
    expect((await put(27, "Changed", { "If-Match": tag, "If-None-Match": '"x"' })).status).toBe(200);
    states("docs/changing-pets.md", "With both headers, both must hold.");
  });

  test("* of many requests at once one adds, and the others are 412", async () => {
    states(
      "docs/categories.md",
      "With `If-None-Match: *` it only adds: of several requests at once, one adds the category, and the others are 412.",
    );
    for (let id = 30; id < 35; id++) {
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, i) => put(id, `Name ${i} of ${id}`, { "If-None-Match": "*" })),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 412, 412, 412, 412, 412]);
      const [winner] = answers.filter(({ status }) => status === 201);
      expect((await client.get(at(id))).text).toBe(winner?.text ?? "");
    }
    states(
      "docs/categories.md",
      "With `If-None-Match: *` it only adds: of several requests at once, one adds the category, and the others are 412.",
    );
  });
});

test.each(["abc", "01", "-0", "+1", "1.0", "1e1", "%00", "9223372036854775808", "-9223372036854775809"])(
  "category %s is 404",
  async (id) => {
    states("docs/errors.md", "The path names something that is not the id of a category,");
    states("docs/categories.md", "404 | Error, `category_not_found` | The path has no int64 in plain digits.");
    const message =
      "The id of a category is an integer from -9223372036854775808 to 9223372036854775807 in plain digits.";
    const missing = { status: 404, body: { code: "category_not_found", message } };
    expect(await put(id, `Name of ${id}`)).toMatchObject(missing);
    expect(await client.get(at(id))).toMatchObject(missing);
    expect(await client.delete(at(id))).toMatchObject(missing);
  },
);

test("refuses the bodies that a creation refuses", async () => {
  for (const body of ["{}", '{"name":""}', "[]"])
    expect(await client.put(at(40), body)).toMatchObject({ status: 400, body: { code: "validation_failed" } });
  expect(await client.put(at(40), "{")).toMatchObject({ status: 400, body: { code: "invalid_json" } });
  const patch = { "Content-Type": "application/merge-patch+json" };
  expect((await client.put(at(40), { name: "x" }, patch)).status).toBe(415);
});
