import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { migrations } from "../../src/adapters/postgres/migrations.ts";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { metricsAt } from "../support/metrics.ts";
import { type Nodes, startNodes } from "../support/nodes.ts";
import { hasRedis } from "../support/redis.ts";

if (!hasRedis) console.log("skipped: there is no redis-server on this machine");

describe.skipIf(!hasRedis)("four nodes", () => {
  let nodes: Nodes;
  beforeAll(async () => {
    nodes = await startNodes({ count: 4 });
  });
  afterAll(() => nodes.remove());

  test("answer exactly the 1,000 requests of a key's limit, of 2,000 concurrent ones", async () => {
    states("README.md", "and over any number of nodes", "the same build runs as many nodes on PostgreSQL and Redis.");
    states("docs/settings.md", "The Redis server that counts limits for all nodes");
    states(
      "docs/reliability.md",
      "While Redis responds, limits are exact: of 2,000 concurrent requests to four nodes with a key of 1,000 per minute, 1,000 succeed.",
    );
    const before = await decidedAlone();
    const { 200: allowed = 0, 429: refused = 0 } = await statusesOf2000();
    const alone = (await decidedAlone()) - before;
    expect(allowed + refused).toBe(2_000);
    // Each node that counted alone allows no more than a tenth of the limit, and the plan's rate, beside it.
    expect(allowed).toBeWithin(1_000 - alone, 1_000 + Math.min(alone, 4 * (100 + 10 * 17)) + 1);
  });

  /** The requests that the nodes decided alone so far: Redis may be silent for longer than they wait. */
  async function decidedAlone(): Promise<number> {
    const read = await Promise.all(nodes.nodes.map(({ adminUrl }) => metricsAt(adminUrl)));
    return read.reduce((sum, metrics) => sum + metrics.value("petstore_limiter_fallback_requests_total"), 0);
  }

  /** The number of responses by status to 2,000 concurrent requests, with a key limited to 1,000 per minute. */
  async function statusesOf2000(): Promise<Record<string, number>> {
    const { secret } = await nodes.createKey({ perMinute: 1_000, perDay: 100_000 });
    const authorization = { Authorization: `Bearer ${secret}` };
    const statuses = await Promise.all(
      Array.from({ length: 2_000 }, async (_, i) => {
        const response = await fetch(`${nodes.node(i % 4).url}/v1/pets?limit=1`, { headers: authorization });
        await response.text();
        return response.status;
      }),
    );
    const counted = Map.groupBy(statuses, String)
      .entries()
      .map(([status, all]): [string, number] => [status, all.length]);
    return Object.fromEntries(counted);
  }

  test("share one schema and one first key when started together on an empty database", async () => {
    const [row] = await nodes.postgres.query("SELECT count(*) AS steps FROM petstore.migrations");
    expect(row).toEqual({ steps: String(migrations.length) });
    const first = await nodes.postgres.query("SELECT id FROM petstore.keys WHERE name = 'first key'");
    expect(first).toHaveLength(1);
  });

  test("show at once the limit state of a key over all nodes, and soon its usage", async () => {
    states("docs/usage.md", "The windows are exact at the time of the response, also with several nodes.");
    const { id, secret } = await nodes.createKey({ perMinute: 100, perDay: 1_000 });
    const clients = nodes.clients(secret);
    const [operator] = (await nodes.withOperator("viewer")).clients;
    const before = await decidedAlone();
    const answers = await Promise.all(Array.from({ length: 120 }, (_, i) => clients[i % 4]?.get("/v1/pets?limit=1")));
    const used = answers.filter((answer) => answer?.status === 200).length;
    const alone = (await decidedAlone()) - before;
    expect(used).toBeWithin(100 - alone, 100 + alone + 1);
    for (const client of clients) {
      const { status, body, headers } = await client.get("/v1/usage");
      expect(status).toBe(200);
      // What Redis counts without an answer in time may be counted by a node too.
      expect(body.minute.used).toBeWithin(used, used + alone + 1);
      expect(body.minute).toMatchObject({ limit: 100, remaining: Math.max(0, 100 - body.minute.used) });
      expect(body.day).toMatchObject({ limit: 1_000, used: body.minute.used, remaining: 1_000 - body.minute.used });
      expect(Date.parse(body.minute.resetAt) / 1000).toBe(Number(headers.get("X-RateLimit-Reset")));
    }
    // The operator asks: the key may ask of itself 60 times per minute.
    await eventually(async () => {
      const answer = await operator?.get(`/admin/v1/keys/${id}/usage?resolution=day&points=2`);
      return answer?.body.points.reduce((sum: number, { requests }: { requests: number }) => sum + requests, 0) >= 120;
    });
    for (const client of clients) {
      await eventually(async () => {
        const { body } = await client.get("/v1/usage");
        const hours: { byClass: Record<string, number>; byOperation: Record<string, number> }[] = body.last24Hours;
        const sum = (of: (hour: (typeof hours)[number]) => number | undefined) =>
          hours.reduce((total, hour) => total + (of(hour) ?? 0), 0);
        return (
          sum(({ byOperation }) => byOperation.listPets) === 120 && sum(({ byClass }) => byClass["429"]) === 120 - used
        );
      });
    }
  });

  test("list each other's pets, and never assign an id twice", async () => {
    states(
      "docs/running.md",
      "Any number of nodes serves one deployment if all have the same `DATABASE_URL` of a PostgreSQL server and the same `REDIS_URL`.",
    );
    const clients = nodes.clients((await nodes.createKey()).secret);
    const answers = await Promise.all(
      Array.from({ length: 400 }, (_, i) => clients[i % 4]?.post("/v1/pets", { name: `Pet ${i}`, categoryId: i })),
    );
    const ids = answers.map((answer) => answer?.body.id);
    expect(new Set(ids).size).toBe(400);
    for (const client of clients) {
      expect((await client.get(`/v1/pets?ids=${ids.slice(0, 3)}`)).body).toHaveLength(3);
    }
  });

  test("add one pet for a creation that all of them receive concurrently and repeatedly", async () => {
    const clients = nodes.clients((await nodes.createKey()).secret);
    const ask = (i: number, name: number) =>
      clients[i % 4]?.post("/v1/pets", { name: "Once", categoryId: name }, { "Idempotency-Key": `creation ${name}` });
    const statuses = new Set<number | undefined>();
    for (let name = 0; name < 20; name++) {
      const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => ask(i, name)));
      const last = await ask(name, name);
      expect(last).toMatchObject({ status: 201 });
      for (const answer of answers) {
        statuses.add(answer?.status);
        if (answer?.status === 201) expect(answer.body).toEqual(last?.body);
        else expect(answer).toMatchObject({ status: 409, body: { code: "idempotency_in_progress" } });
      }
    }
    expect(statuses).toEqual(new Set([201, 409]));
    const [row] = await nodes.postgres.query("SELECT count(*) FROM petstore.pets WHERE name = 'Once'");
    expect(row).toEqual({ count: "20" });
  });

  test.each(["revoked", "disabled"])("refuse a %s key within a second", async (state) => {
    const { id, secret } = await nodes.createKey();
    const clients = nodes.clients(secret);
    for (const client of clients) expect(await client.get("/v1/pets")).toMatchObject({ status: 200 });
    if (state === "revoked") await nodes.administration.revoke(id, Date.now());
    else await nodes.administration.update(id, { disabled: true }, Date.now());
    const revoked = performance.now();
    // Requests without pause, so that every node caches the key.
    while (performance.now() - revoked < 950) await Promise.all(clients.map((client) => client.get("/v1/pets")));
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 1_000 - (performance.now() - revoked))));
    for (const client of clients) {
      expect(await client.get("/v1/pets")).toMatchObject({ status: 401, body: { code: `${state}_api_key` } });
    }
  });

  test("accept a rotated secret and a new plan within a second", async () => {
    states("SECURITY.md", "each takes effect within a second.");
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
  });
});
