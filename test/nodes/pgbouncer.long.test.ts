import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { besideLoad, eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
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
  });
  afterAll(async () => {
    await nodes.remove();
    await pgbouncer.remove();
  });

  test("answer 1,500 lists and 200 creations, and are ready", async () => {
    states(
      "docs/scaling.md",
      "Use transaction mode; session mode saves nothing.",
      "Each statement then takes a transaction of its own and is planned each time, which costs PostgreSQL more. Connect directly while the number of connections permits it.",
      "Leave `server_reset_query_always` off, and `query_wait_timeout` at its default: the service gives up after 1.2 s itself.",
    );
    states("docs/running.md", "PgBouncer or another pooler may run in transaction mode");
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
  });

  test("change pets and place orders, many at once, also with idempotency keys", async () => {
    const [first, second] = nodes.clients((await nodes.createKey()).secret);
    if (first === undefined || second === undefined) throw new Error("there are not two clients");
    const clientOf = (i: number) => (i % 2 === 0 ? first : second);
    const send = (i: number, method: string, path: string, body: object, headers: Record<string, string> = {}) =>
      clientOf(i).request(path, {
        method,
        headers: { "Content-Type": "application/json", ...headers },
        body: JSON.stringify(body),
      });
    const pets = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        send(i, "POST", "/v1/pets", { name: `Pet ${i}`, categoryId: 2 }, { "Idempotency-Key": `pet-${i}` }),
      ),
    );
    const ids = pets.map(({ body }) => body.id);
    expect(new Set(ids).size).toBe(60);
    const changed = await Promise.all(
      [...ids, ...ids].map((id, i) => send(i, "PATCH", `/v1/pets/${id}`, { name: `Name ${i}` })),
    );
    expect(changed.map(({ status }) => status)).toEqual(changed.map(() => 200));
    const ordered = await Promise.all(
      [...ids, ...ids].map((petId, i) =>
        send(i, "POST", "/v1/store/orders", { petId }, i % 3 === 0 ? { "Idempotency-Key": `order-${i}` } : {}),
      ),
    );
    expect(Map.groupBy(ordered, ({ status }) => status).get(201)).toHaveLength(60);
    const orders = ordered.filter(({ status }) => status === 201).map(({ body }) => body.id);
    const cancelled = await Promise.all(
      orders.map((id, i) => send(i, "PATCH", `/v1/store/orders/${id}`, { status: "cancelled" })),
    );
    expect(cancelled.map(({ status }) => status)).toEqual(cancelled.map(() => 200));
    const found = await Promise.all(ids.map((id, i) => clientOf(i).get(`/v1/pets/${id}`)));
    // Two changes of the name, one by its order, one by the cancellation.
    expect(found.map(({ headers }) => headers.get("ETag"))).toEqual(ids.map(() => '"v5"'));
  });

  test("serve operators: keys, their changes and an export", async () => {
    states("docs/scaling.md", "An export and a start keep one for as long as they run.");
    const { clients } = await nodes.withOperator();
    const { id } = await nodes.createKey();
    for (const client of clients) expect(await client.get(`/admin/v1/keys/${id}`)).toMatchObject({ status: 200 });
    const exported = await clients[0]?.get("/admin/v1/pets/export?format=ndjson");
    expect(exported?.status).toBe(200);
  });

  test("answer again within 2 s of a server's return", async () => {
    states(
      "docs/scaling.md",
      "`server_login_retry` is how long PgBouncer refuses requests after a failed connection to PostgreSQL before it tries again. With its default, 15 s, the service would answer 503 for so much longer after a restart of PostgreSQL.",
    );
    states("docs/reliability.md", "Behind PgBouncer all of this needs its `server_login_retry`.");
    const [client] = nodes.clients((await nodes.createKey()).secret);
    const status = async () => (await client?.get("/v1/pets?limit=1"))?.status;
    expect(await status()).toBe(200);
    await nodes.postgres.kill();
    await eventually(async () => (await status()) === 503);
    // PgBouncer tries to connect, fails, and waits before it tries again.
    for (let i = 0; i < 10; i++) expect(await status()).toBe(503);
    await nodes.postgres.start();
    const returned = performance.now();
    await eventually(async () => (await status()) === 200);
    console.log(`behind PgBouncer: back after ${Math.round(performance.now() - returned)} ms`);
    // By default PgBouncer tries again after 15 s.
    expect(performance.now() - returned).toBeLessThan(besideLoad(10_000));
  });
});
