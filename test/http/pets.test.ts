import { afterAll, beforeAll, expect, test } from "bun:test";
import { BASE_URL, type RunningService, startService } from "../support/service.ts";

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.remove());

test("an animal that was added is listed and fetched", async () => {
  const client = await service.withKey();
  const added = await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
  expect(added.status).toBe(201);
  expect(added.body).toEqual({ id: added.body.id, name: "Rex", categoryId: 1, status: "available" });
  expect(added.headers.get("Location")).toBe(`/v1/pets/${added.body.id}`);
  expect((await client.get(`/v1/pets/${added.body.id}`)).body).toEqual(added.body);
  expect((await client.get(`/v1/pets?ids=${added.body.id}`)).body).toEqual([added.body]);
  console.log(BASE_URL);
});
