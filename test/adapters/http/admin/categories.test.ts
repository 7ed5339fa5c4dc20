import { expect, test } from "bun:test";
import { describes } from "../../../support/descriptions.ts";
import { states } from "../../../support/markdown.ts";
import { useOperator, useService } from "../../../support/use-service.ts";

const service = useService();
const { client: admin, operator } = useOperator(service);

const CATEGORIES = "/admin/v1/categories";
const SMALLEST = "-9223372036854775808";
const create = (name: string) => admin.post(CATEGORIES, { name });
const put = (id: number | string, name: string, headers: Record<string, string> = {}) =>
  admin.request(`${CATEGORIES}/${id}`, {
    method: "PUT",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ name }),
  });
const remove = (id: number | string, headers: Record<string, string> = {}) =>
  admin.request(`${CATEGORIES}/${id}`, { method: "DELETE", headers });
const entriesOf = async (id: number | string) => (await admin.get(`/admin/v1/audit?target=${id}`)).body.entries;

test("categories are created, renamed and removed, each with its audit entry", async () => {
  states("docs/administration.md", "`POST /admin/v1/categories` with `name` | 201, the category, under a new id");
  const created = await create("Dogs");
  expect([created.status, created.body]).toEqual([201, { id: created.body.id, name: "Dogs" }]);
  const { id } = created.body;
  const read = await admin.get(`${CATEGORIES}/${id}`);
  expect([read.text, read.headers.get("ETag")]).toEqual([created.text, created.headers.get("ETag")]);
  const renamed = await put(id, "Hounds");
  expect([renamed.status, renamed.body]).toEqual([200, { id, name: "Hounds" }]);
  expect(renamed.headers.get("ETag")).not.toBe(created.headers.get("ETag"));
  expect((await put(id, "Hounds")).status).toBe(200);
  expect(await remove(id)).toMatchObject({ status: 204, text: "" });
  expect((await admin.get(`${CATEGORIES}/${id}`)).body.code).toBe("category_not_found");
  expect((await remove(id)).body.code).toBe("category_not_found");
  const author = { operator: { id: operator.id, name: operator.name } };
  expect(await entriesOf(id)).toMatchObject([
    { action: "category.delete", before: { id, name: "Hounds" }, after: null, ...author },
    { action: "category.update", before: { id, name: "Dogs" }, after: { id, name: "Hounds" }, ...author },
    { action: "category.create", before: null, after: { id, name: "Dogs" }, ...author },
  ]);
});

test("an id that pets have already can be given a name, to the digit", async () => {
  describes(
    "putCategory",
    "Renames the category with this id, or creates it, so that an id that pets already have gets a name.",
  );
  const created = await put(SMALLEST, "Rare");
  expect([created.status, created.text]).toEqual([201, `{"id":${SMALLEST},"name":"Rare"}`]);
  expect(created.headers.get("Location")).toBe(`${CATEGORIES}/${SMALLEST}`);
  const read = await admin.get(`${CATEGORIES}/${SMALLEST}`, { "If-None-Match": "*" });
  expect([read.status, read.text]).toEqual([200, created.text]);
  expect(await entriesOf(SMALLEST)).toMatchObject([{ action: "category.create", after: { name: "Rare" } }]);
});

test("refusals are those of the public interface", async () => {
  states("docs/administration.md", "Another category has this name; case is ignored.");
  const { body: cats, headers } = await create("Cats");
  const { body: birds } = await create("Birds");
  expect(await create("CATS")).toMatchObject({ status: 409, body: { code: "category_exists" } });
  expect((await put(birds.id, "cats")).body.code).toBe("category_exists");
  expect((await create(" ")).body.code).toBe("validation_failed");
  await admin.post("/admin/v1/pets", { name: "Tom", categoryId: cats.id });
  expect(await remove(cats.id)).toMatchObject({ status: 409, body: { code: "category_in_use" } });
  const tag = { "If-Match": headers.get("ETag") ?? "" };
  expect(await put(birds.id, "Parrots", { "If-Match": '"v99"' })).toMatchObject({
    status: 412,
    body: { code: "precondition_failed" },
  });
  expect((await put(cats.id, "Tomcats", tag)).status).toBe(200);
  expect((await remove(cats.id, tag)).body.code).toBe("precondition_failed");
  expect((await admin.get(`${CATEGORIES}/cats`)).body.code).toBe("category_not_found");
  expect(await entriesOf(birds.id)).toMatchObject([{ action: "category.create" }]);
});

test("categories are listed in pages, by id, and by name and ids", async () => {
  states(
    "docs/administration.md",
    "`GET /admin/v1/categories?limit=&after=&name=&ids=` | `categories`, by id, and `next`",
  );
  const { body: fish } = await create("Fish");
  await put("-5", "Ferrets");
  const all: string[] = [];
  let query = "limit=2";
  for (;;) {
    const { text, body } = await admin.get(`${CATEGORIES}?${query}`);
    all.push(...body.categories.map(({ name }: { name: string }) => name));
    const next = /"next":(-?\d+)/.exec(text)?.[1];
    if (next === undefined) break;
    query = `limit=2&after=${next}`;
  }
  expect(all).toEqual([...new Set(all)]);
  expect(all.slice(0, 2)).toEqual(["Rare", "Ferrets"]);
  expect(all.at(-1)).toBe("Fish");
  expect((await admin.get(`${CATEGORIES}?name=FISH`)).body).toEqual({ categories: [fish], next: null });
  const chosen = await admin.get(`${CATEGORIES}?ids=${fish.id},-5`);
  expect(chosen.body.categories.map(({ name }: { name: string }) => name)).toEqual(["Ferrets", "Fish"]);
  expect((await admin.get(`${CATEGORIES}?limit=101`)).body.code).toBe("invalid_parameter");
});
