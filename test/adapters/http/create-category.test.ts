import { describe, expect, test } from "bun:test";
import { locationOf } from "../../support/client.ts";
import { states } from "../../support/markdown.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service);

test("adds a category under a new id, and says where it is", async () => {
  states(
    "docs/categories.md",
    "`POST /categories`, called createCategory, adds a category under an id that the service assigns. `Location` is its URL.",
    "201 | Category | The category was added.",
    "Category is what you receive, NewCategory what you send: the `name` alone.",
  );
  const { body: before } = await client.get("/v1/categories");
  expect(before).toEqual([]);
  const added = await client.post("/v1/categories", { name: "Dogs" });
  expect(added).toMatchObject({ status: 201, body: { name: "Dogs" } });
  expect(Object.keys(added.body)).toEqual(["id", "name"]);
  expect(added.body.id).toBeGreaterThan(0);
  const path = locationOf(added);
  expect(path).toBe(`/v1/categories/${added.body.id}`);
  const read = await client.get(path);
  expect([read.status, read.text]).toEqual([200, added.text]);
  expect(read.headers.get("ETag")).toBe(added.headers.get("ETag"));
  states("docs/categories.md", "adds a category under an id that the service assigns. `Location` is its URL.");
});

test("assigns increasing ids, which skip those that exist and are never given again", async () => {
  const first = (await client.post("/v1/categories", { name: "First" })).body.id;
  expect((await client.put(`/v1/categories/${first + 1}`, { name: "Taken" })).status).toBe(201);
  const second = (await client.post("/v1/categories", { name: "Second" })).body.id;
  expect(second).toBeGreaterThan(first + 1);
  expect((await client.delete(`/v1/categories/${second}`)).status).toBe(204);
  expect((await client.post("/v1/categories", { name: "Third" })).body.id).toBeGreaterThan(second);
  states("docs/categories.md", "None is assigned twice, and none that a category or a pet has.");
});

test("ignores unknown fields, and an id", async () => {
  const { status, body } = await client.post("/v1/categories", { id: 4711, name: "Fish", colour: "red" });
  expect([status, Object.keys(body)]).toEqual([201, ["id", "name"]]);
  expect(body.id).not.toBe(4711);
});

describe("a name that another category has is 409, in any case and Unicode form:", () => {
  test("is what the documents say", () => {
    states("docs/errors.md", "Another category has this name, ignoring case.");
    states(
      "docs/categories.md",
      "No two categories have the same name. Case is ignored: names are compared in lower case, in Unicode's form NFKC.",
      "Error, `category_exists` or `idempotency_in_progress` | Another category has this name,",
    );
  });
  test.each([
    ["Cats", "cats"],
    ["Birds", "\uff22\uff29\uff32\uff24\uff33"],
    ["Caf\u00e9", "CAFE\u0301"],
    ["Same", "Same"],
  ])("%p, then %p", async (name, other) => {
    expect((await client.post("/v1/categories", { name })).status).toBe(201);
    expect(await client.post("/v1/categories", { name: other })).toMatchObject({
      status: 409,
      body: { code: "category_exists" },
    });
  });
});

describe("a name is stored as it was sent:", () => {
  test("is what the documents say", () => {
    states("docs/categories.md", "Stored exactly as sent.");
  });
  test.each(["x", " padded ", "\u{1F415}".repeat(100), "'); DROP TABLE categories; --", '<b>"&', "\u202eevil"])(
    "%.30p",
    async (name) => {
      const { status, body } = await client.post("/v1/categories", { name });
      expect([status, body.name]).toEqual([201, name]);
      expect((await client.get(`/v1/categories/${body.id}`)).body.name).toBe(name);
    },
  );
  states("docs/categories.md", "Stored exactly as sent.");
});

const RULE = "must be 1 to 100 characters, not blank, without control characters or lone surrogates";

describe("is refused with what the field must be:", () => {
  test.each([
    ["{}", "name", "is required"],
    ['{"name":null}', "name", "must be a string"],
    ['{"name":7}', "name", "must be a string"],
    ['{"name":""}', "name", RULE],
    ['{"name":"  "}', "name", RULE],
    ['{"name":"a\\nb"}', "name", RULE],
    ['{"name":"\\ud800"}', "name", RULE],
    [`{"name":"${"x".repeat(101)}"}`, "name", RULE],
    ["[]", "", "must be a JSON object with name"],
    ["null", "", "must be a JSON object with name"],
  ])("%.40s", async (body, field, problem) => {
    expect(await client.post("/v1/categories", body)).toMatchObject({
      status: 400,
      body: { code: "validation_failed", details: [{ in: "body", field, problem }] },
    });
  });

  test.each(["", "{", '{"name":"a","name":"b"}', "\ufeff{}"])("%p is not JSON", async (body) => {
    expect(await client.post("/v1/categories", body)).toMatchObject({ status: 400, body: { code: "invalid_json" } });
  });
});
