import { describe, expect, test } from "bun:test";
import { states } from "../../../support/markdown.ts";
import { useKey, useOperator, useService } from "../../../support/use-service.ts";

const RESET = "/admin/v1/staging/reset";
const REX = { name: "Rex", categoryId: 1 };

const post = (type?: string, body?: string) => ({
  method: "POST",
  headers: { ...(type !== undefined && { "Content-Type": type }) },
  ...(body !== undefined && { body }),
});

describe("on staging", () => {
  const service = useService({ env: { PETSTORE_DEPLOYMENT: "staging" } });
  const { client: admin, operator } = useOperator(service);
  const { client } = useKey(service);
  const reset = (type?: string, body?: string, query = "") => admin.request(`${RESET}${query}`, post(type, body));
  const names = async () => (await client.get("/v1/pets?limit=100")).body.map(({ name }: { name: string }) => name);

  test("a reset puts sample data in the place of everything", async () => {
    states(
      "docs/administration.md",
      "`POST /admin/v1/staging/reset?raw=` | on staging: all data replaced by sample data",
    );
    states("docs/data.md", "with `POST /admin/v1/staging/reset`.");
    const { id } = (await client.post("/v1/pets", REX)).body;
    const order = (await client.post("/v1/store/orders", { petId: id })).body;
    const { status, body } = await reset();
    expect(status).toBe(200);
    expect(body).toEqual({ pets: 200, categories: 9, orders: 85, firstPetId: expect.any(Number) });
    expect(body.firstPetId).toBeGreaterThan(id);
    expect((await client.get(`/v1/pets/${id}`)).status).toBe(404);
    expect((await client.get(`/v1/store/orders/${order.id}`)).status).toBe(404);
    expect((await client.get("/v1/store/inventory")).body).toEqual({ available: 118, pending: 31, sold: 51 });
    const [first] = (await client.get("/v1/pets?limit=1")).body;
    expect(first.id).toBe(body.firstPetId);
  });

  test("no response that a client has kept is taken for a new one, and each page is the new one at once", async () => {
    states(
      "docs/data.md",
      "Ids go on where they were: none is given again, and no `ETag` that a client has kept fits new data.",
    );
    await reset("application/x-ndjson", '{"name":"Rex","categoryId":1}\n');
    const paths = ["/v1/pets", "/v1/categories/1", "/v1/categories", "/v1/store/orders", "/v1/pets?name=Rex"];
    const read = async () => Promise.all(paths.map((path) => client.get(path)));
    const [before] = [await read(), await read()];
    await reset();
    for (const [i, path] of paths.entries()) {
      const headers = { "If-None-Match": String(before[i]?.headers.get("ETag")) };
      const answer = await client.request(path, { headers });
      // A list whose items are equal is the same list. A category has another version.
      const isEqual = path === "/v1/categories";
      expect({ path, status: answer.status }).toEqual({ path, status: isEqual ? 304 : 200 });
    }
    const [rex] = before[0]?.body ?? [];
    expect((await client.get(`/v1/pets?ids=${rex.id}`)).body).toEqual([]);
  });

  test("an idempotency key from before creates again", async () => {
    const headers = { "Content-Type": "application/json", "Idempotency-Key": "once" };
    const create = () => client.request("/v1/pets", { method: "POST", headers, body: JSON.stringify(REX) });
    const first = await create();
    await reset();
    const second = await create();
    expect(second.status).toBe(201);
    expect(second.body.id).toBeGreaterThan(first.body.id);
    expect((await create()).body).toEqual(second.body);
  });

  test.each([
    [
      "application/x-ndjson",
      '{"id":7,"name":"Rex","categoryId":1}\n{"name":"Mia","categoryId":77,"status":"sold"}\n',
      "",
    ],
    ["text/csv", "name,categoryId,status\nRex,1,available\nMia,2,sold\n", ""],
    ["text/csv; charset=utf-8", "categoryId,name\n1,Rex\n2,Mia\n", "?raw=true"],
  ])("a reset takes the pets of a file: %s", async (type, body, query) => {
    states("docs/administration.md", "or by the pets of the file that is the body");
    const answer = await reset(type, body, query);
    expect(answer.body).toMatchObject({ pets: 2, categories: 9, orders: 0 });
    expect(await names()).toEqual(["Rex", "Mia"]);
  });

  test("an empty file leaves no pets", async () => {
    states(
      "docs/data.md",
      "They come with the sample categories, and without orders. An invalid line changes nothing.",
    );
    expect((await reset("application/x-ndjson", "")).body).toEqual({
      ...{ pets: 0, categories: 9, orders: 0 },
      firstPetId: null,
    });
    expect(await names()).toEqual([]);
  });

  test.each([
    [
      "an invalid line",
      "application/x-ndjson",
      '{"name":"Rex","categoryId":1}\n{"name":"Mia"}\n',
      "Line 2: categoryId is required",
    ],
    ["a header without a column", "text/csv", "name\nRex\n", "categoryId"],
    ["too many pets", "text/csv", `name,categoryId\n${"Rex,1\n".repeat(10_001)}`, "more than 10,000 pets"],
  ])("%s changes nothing", async (_, type, body, problem) => {
    await reset();
    const before = await names();
    const answer = await reset(type, body);
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 400, code: "validation_failed" });
    expect(answer.body.message).toContain(problem);
    expect(answer.body.message).toEndWith("Nothing was changed.");
    expect(await names()).toEqual(before);
  });

  test.each([
    ["application/json", "{}"],
    [undefined, '{"name":"Rex","categoryId":1}\n'],
  ])("a body of the type %s is refused", async (type, body) => {
    const response = await fetch(`${service.adminUrl}${RESET}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${operator.token}`, ...(type && { "Content-Type": type }) },
      body: new TextEncoder().encode(body),
    });
    expect(response.status).toBe(415);
  });

  test("keys, their usage and the audit log stay, and the reset is in the log", async () => {
    states(
      "docs/data.md",
      "Keys, their limits, usage, operators and the audit log stay. The reset is the entry `shop.replace`.",
    );
    states("docs/data.md", "Keys,", "and the audit log stay.");
    const before = (await admin.get("/admin/v1/audit?limit=100")).body.entries;
    const keys = (await admin.get("/admin/v1/keys")).body.total;
    await reset("text/csv", "name,categoryId\nRex,1\n");
    const [entry, ...earlier] = (await admin.get("/admin/v1/audit?limit=100")).body.entries;
    expect(entry).toMatchObject({
      ...{ action: "shop.replace", operator: { id: operator.id }, before: null },
      after: { pets: 1, categories: 9, orders: 0 },
    });
    expect(earlier).toEqual(before.slice(0, 99));
    expect((await admin.get("/admin/v1/keys")).body.total).toBe(keys);
  });

  test("a viewer may not reset it", async () => {
    const { client: viewer } = await service.withOperator("viewer", "Vera");
    const answer = await viewer.request(RESET, post());
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 403, code: "insufficient_role" });
  });
});

describe("with PETSTORE_CATEGORY_CHECK=on", () => {
  const service = useService({ env: { PETSTORE_DEPLOYMENT: "staging", PETSTORE_CATEGORY_CHECK: "on" } });
  const { client: admin } = useOperator(service);

  test("a file names sample categories only", async () => {
    const answer = await admin.request(RESET, post("text/csv", "name,categoryId\nRex,9\nMia,10\n"));
    expect(answer.body.message).toBe("Line 3: categoryId must be that of a sample category. Nothing was changed.");
    expect((await admin.request(RESET, post("text/csv", "name,categoryId\nRex,9\n"))).status).toBe(200);
  });
});

describe("on production", () => {
  const service = useService();
  const { client: admin } = useOperator(service);
  const { client } = useKey(service);

  test.each([
    [undefined, undefined],
    ["text/csv", "name,categoryId\nMia,1\n"],
  ])("a reset is refused (%s)", async (type, body) => {
    states("docs/administration.md", "Or production cannot simulate answers, and cannot be reset.");
    const pet = (await client.post("/v1/pets", REX)).body;
    const answer = await admin.request(RESET, post(type, body));
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 409, code: "invalid_state" });
    expect(answer.body.message).toBe("This is production. Only staging can be reset: nothing was changed.");
    expect((await client.get(`/v1/pets?ids=${pet.id}`)).body).toEqual([pet]);
    expect((await admin.get("/admin/v1/audit?action=shop.replace")).body.entries).toEqual([]);
  });
});
