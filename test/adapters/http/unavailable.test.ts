import { afterAll, beforeAll, expect, test } from "bun:test";
import { DatabaseSync } from "node:sqlite";
import type { Client } from "../../support/client.ts";
import { databasePathOf, type RunningService, startService } from "../../support/service.ts";

const REX = { name: "Rex", categoryId: 1 };

let service: RunningService;
let client: Client;
let other: DatabaseSync;
beforeAll(async () => {
  service = await startService();
  client = await service.withKey();
  other = new DatabaseSync(databasePathOf(service.directory), { timeout: 2_000 });
});
afterAll(async () => {
  other.close();
  await service.remove();
});

test("while another process writes, creations wait for it", async () => {
  other.exec("BEGIN IMMEDIATE");
  const created = client.post("/v1/pets", REX);
  expect((await client.get("/v1/pets")).body).toEqual([]);
  other.exec("COMMIT");
  expect((await created).status).toBe(201);
});

test("when it goes on for more than 2 s they are 503, reads go on, and nothing refused was added", async () => {
  const before = (await client.get("/v1/pets")).body.length;
  other.exec("BEGIN IMMEDIATE");
  const started = performance.now();
  const refused = Promise.all([client.post("/v1/pets", REX), client.post("/v1/pets", REX)]);
  expect((await client.get("/v1/pets?limit=50")).status).toBe(200);
  for (const answer of await refused) {
    expect(answer).toMatchObject({ status: 503, body: { code: "service_unavailable", status: 503 } });
    expect(answer.headers.get("Retry-After")).toBe("1");
    expect(answer.text).not.toMatch(/sqlite|locked|busy/i);
  }
  expect(performance.now() - started).toBeWithin(1_900, 4_000);
  other.exec("COMMIT");
  expect((await client.post("/v1/pets", REX)).status).toBe(201);
  expect((await client.get("/v1/pets")).body).toHaveLength(before + 1);
});
