import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Nodes, startNodes } from "../support/nodes.ts";
import { hasPgBouncer, PgBouncer } from "../support/pgbouncer.ts";
import { hasRedis } from "../support/redis.ts";

/** Fewer connections to the server than the two nodes have together. */
const CONNECTIONS = 8;

describe.skipIf(!hasRedis || !hasPgBouncer)("two nodes behind PgBouncer in transaction mode", () => {
  let pgbouncer: PgBouncer;
  let nodes: Nodes;
  beforeAll(async () => {
    nodes = await startNodes({
      count: 2,
      urls: async (postgres) => {
        pgbouncer = await PgBouncer.before(postgres, CONNECTIONS);
        return { DATABASE_URL: pgbouncer.url };
      },
    });
  }, 30_000);
  afterAll(async () => {
    await nodes.remove();
    await pgbouncer.remove();
  });

  test("answer 1,500 lists and 200 creations, and are ready", async () => {
    const clients = nodes.clients((await nodes.createKey()).secret);
    const statuses = async (count: number, request: (i: number) => Promise<{ status: number }> | undefined) => {
      const answered: Record<string, number> = {};
      for (let begun = 0; begun < count; begun += 50) {
        for (const answer of await Promise.all(Array.from({ length: 50 }, (_, i) => request(begun + i))))
          answered[String(answer?.status)] = (answered[String(answer?.status)] ?? 0) + 1;
      }
      return answered;
    };
    expect(await statuses(200, (i) => clients[i % 2]?.post("/v1/pets", { name: `Pet ${i}`, categoryId: 1 }))).toEqual({
      201: 200,
    });
    // Different pages, so that none shares another's query.
    expect(await statuses(1_500, (i) => clients[i % 2]?.get(`/v1/pets?limit=20&after=${i}`))).toEqual({ 200: 1_500 });
    for (const { url } of nodes.nodes) expect((await fetch(`${url}/readyz`)).status).toBe(200);
  }, 30_000);

  test("serve operators: keys, their changes and an export", async () => {
    const { clients } = await nodes.withOperator();
    const { id } = await nodes.createKey();
    for (const client of clients) expect(await client.get(`/admin/v1/keys/${id}`)).toMatchObject({ status: 200 });
    const exported = await clients[0]?.get("/admin/v1/pets/export?format=ndjson");
    expect(exported?.status).toBe(200);
  });
});
