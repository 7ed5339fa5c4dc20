import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Nodes, startNodes } from "../support/nodes.ts";
import { hasRedis } from "../support/redis.ts";

if (!hasRedis) console.log("skipped: there is no redis-server on this machine");

describe.skipIf(!hasRedis)("four nodes", () => {
  let nodes: Nodes;
  beforeAll(async () => {
    nodes = await startNodes({ count: 4 });
  }, 30_000);
  afterAll(() => nodes.remove());

  test("of 2,000 concurrent requests with one key exactly the 1,000 of its limit succeed", async () => {
    const { secret } = await nodes.createKey({ perMinute: 1_000, perDay: 100_000 });
    const authorization = { Authorization: `Bearer ${secret}` };
    const statuses = await Promise.all(
      Array.from({ length: 2_000 }, async (_, i) => {
        const response = await fetch(`${nodes.node(i % 4).url}/v1/pets?limit=1`, { headers: authorization });
        await response.text();
        return response.status;
      }),
    );
    const counts = Object.fromEntries(
      Map.groupBy(statuses, String)
        .entries()
        .map(([status, all]) => [status, all.length]),
    );
    expect(counts).toEqual({ 200: 1_000, 429: 1_000 });
  }, 30_000);

  test("started together on an empty database, they share one schema and one first key", async () => {
    const [row] = await nodes.postgres.query("SELECT count(*) AS steps FROM petstore.migrations");
    expect(row).toEqual({ steps: "1" });
    const first = await nodes.postgres.query("SELECT id FROM petstore.keys WHERE name = 'first key'");
    expect(first).toHaveLength(1);
  });

  test("what one adds, all list; ids are never given twice", async () => {
    const clients = nodes.clients((await nodes.createKey()).secret);
    const answers = await Promise.all(
      Array.from({ length: 400 }, (_, i) => clients[i % 4]?.post("/v1/pets", { name: `Animal ${i}`, categoryId: i })),
    );
    const ids = answers.map((answer) => answer?.body.id);
    expect(new Set(ids).size).toBe(400);
    for (const client of clients) {
      expect((await client.get(`/v1/pets?ids=${ids.slice(0, 3)}`)).body).toHaveLength(3);
    }
  }, 30_000);

  test("a revoked key is refused by all of them within a second", async () => {
    const { id, secret } = await nodes.createKey();
    const clients = nodes.clients(secret);
    for (const client of clients) expect(await client.get("/v1/pets")).toMatchObject({ status: 200 });
    await nodes.administration.revoke(id, Date.now());
    const revoked = performance.now();
    // Under way all the time, so that every node has the key at hand.
    while (performance.now() - revoked < 950) await Promise.all(clients.map((client) => client.get("/v1/pets")));
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 1_000 - (performance.now() - revoked))));
    for (const client of clients) {
      expect(await client.get("/v1/pets")).toMatchObject({ status: 401, body: { code: "revoked_api_key" } });
    }
  }, 30_000);

  test("a rotated secret and a new plan reach all of them within a second", async () => {
    const { id, secret } = await nodes.createKey();
    const clients = nodes.clients(secret);
    for (const client of clients) await client.get("/v1/pets");
    await nodes.administration.update(id, { plan: "free" }, Date.now());
    const { secret: next } = await nodes.administration.rotate(id, 0, Date.now());
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    for (const client of clients) expect(await client.get("/v1/pets")).toMatchObject({ status: 401 });
    for (const client of nodes.clients(next)) {
      const { headers } = await client.get("/v1/pets");
      expect(headers.get("RateLimit-Policy")).toBe('"minute";q=60;w=60, "day";q=1000;w=86400');
    }
  }, 30_000);
});
