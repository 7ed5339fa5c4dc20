import { beforeAll, expect, test } from "bun:test";
import { eventually } from "../../../support/eventually.ts";
import { useKey, useOperator, useService } from "../../../support/use-service.ts";

const service = useService();
const { client, key } = useKey(service);
const { client: admin } = useOperator(service);

beforeAll(async () => {
  for (const name of ["One", "Two", "Three"]) {
    await admin.post("/admin/v1/keys", { name, plan: "free", owner: { name } });
    await client.post("/v1/categories", { name });
    const { body: pet } = await client.post("/v1/pets", { name, categoryId: 1 });
    await client.post("/v1/store/orders", { petId: pet.id });
  }
  // A moment later, the key has the time of its last use.
  await eventually(async () => (await admin.get(`/admin/v1/keys/${key.id}`)).body.lastUsedAt !== null);
});

test.each([
  ["keys", "keys", "after"],
  ["keys?sort=owner", "keys", "after"],
  ["pets", "pets", "after"],
  ["categories", "categories", "after"],
  ["orders", "orders", "after"],
  ["audit", "entries", "before"],
])(
  "a page of %s that holds the rest is the last one, and one item more is on another page",
  async (list, items, from) => {
    const page = async (query: string) => {
      const { status, body } = await admin.get(`/admin/v1/${list}${list.includes("?") ? "&" : "?"}${query}`);
      expect(status).toBe(200);
      return { found: body[items] as unknown[], next: body.next as unknown };
    };
    const all = await page("limit=100");
    const count = all.found.length;
    expect(count).toBeGreaterThan(2);
    expect(all.next).toBeNull();
    expect(await page(`limit=${count}`)).toEqual(all);
    const first = await page(`limit=${count - 1}`);
    expect(first.found).toEqual(all.found.slice(0, -1));
    expect(await page(`limit=1&${from}=${first.next}`)).toEqual({ found: all.found.slice(-1), next: null });
  },
);
