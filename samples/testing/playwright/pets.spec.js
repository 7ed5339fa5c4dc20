import { expect } from "@playwright/test";
import { test } from "./fixtures.js";

test("the site lists all pets", async ({ page, site, store }) => {
  await page.goto(site);
  await expect(page.getByRole("listitem")).toHaveCount(50);
  expect(store.requests.map(({ status }) => status)).toEqual([200, 200, 200]);
});

test("the site says why it cannot", async ({ page, site, store }) => {
  store.fail.next("revoked_api_key");
  await page.goto(site);
  await expect(page.getByRole("listitem")).toHaveText(/was revoked/);
});

test("a pet that was ordered is pending", async ({ request, store }) => {
  const headers = { Authorization: `Bearer ${store.key}` };
  const { id } = await store.createPet({ name: "Rex", categoryId: 1 });
  const order = await request.post(`${store.url}/store/orders`, { headers, data: { petId: id } });
  expect(order.status()).toBe(201);
  const [pet] = await (await request.get(`${store.url}/pets?ids=${id}`, { headers })).json();
  expect(pet.status).toBe("pending");
});
