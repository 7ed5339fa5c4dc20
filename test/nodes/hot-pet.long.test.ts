import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import pg from "pg";
import { bearer } from "../support/client.ts";
import { besideLoad } from "../support/eventually.ts";
import { type Nodes, startNodes } from "../support/nodes.ts";
import { hasRedis } from "../support/redis.ts";

const AT_ONCE = 200;
const PETS = 100;
const READERS = 4;
const READS = 1_000;
/** The bound of all but the slowest hundredth of the reads, in ms: a request that waits for a lock is refused after a second. */
const P99 = 900;

if (!hasRedis) console.log("skipped: there is no redis-server on this machine");

describe.skipIf(!hasRedis)("while all clients want the same pet, a node on PostgreSQL", () => {
  let nodes: Nodes;
  let headers: Record<string, string>;
  beforeAll(async () => {
    nodes = await startNodes({ count: 1 });
    headers = { ...bearer((await nodes.createKey()).secret), "Content-Type": "application/json" };
    const additions = Array.from({ length: PETS }, (_, i) => ({ name: `Pet ${i}`, categoryId: 1 }));
    await Promise.all(additions.map((pet) => send("POST", "/v1/pets", pet)));
    // Opens the connections and warms up.
    await Promise.all([reads(), ...changes((i) => i + 1)]);
  });
  afterAll(() => nodes.remove());

  const send = (method: string, path: string, body?: object): Promise<Response> =>
    fetch(nodes.node(0).url + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });

  /** As many changes as there are pets, or of one pet that is named so often. */
  const changes = (idOf: (i: number) => number, count = PETS): Promise<Response>[] =>
    Array.from({ length: count }, (_, i) => send("PATCH", `/v1/pets/${idOf(i)}`, { name: `Name ${i}` }));

  /** Reads of different pages by a few readers: how many failed, and the duration of all but the slowest hundredth. */
  const reads = async (): Promise<{ failed: number; p99: number }> => {
    let failed = 0;
    const durations: number[] = [];
    const read = async () => {
      while (durations.length < READS) {
        const began = performance.now();
        const response = await send("GET", `/v1/pets?limit=20&after=${durations.length % PETS}`);
        await response.text();
        durations.push(performance.now() - began);
        if (response.status !== 200) failed += 1;
      }
    };
    await Promise.all(Array.from({ length: READERS }, read));
    const p99 = durations.toSorted((a, b) => a - b)[Math.floor(durations.length * 0.99)] ?? Number.NaN;
    return { failed, p99 };
  };

  test(`answers ${AT_ONCE} changes of it, each with its own version, and reads beside them`, async () => {
    const [{ failed, p99 }, ...changed] = await Promise.all([reads(), ...changes(() => 7, AT_ONCE)]);
    expect(changed.map(({ status }) => status)).toEqual(changed.map(() => 200));
    expect(new Set(changed.map(({ headers }) => headers.get("ETag"))).size).toBe(AT_ONCE);
    expect(failed).toBe(0);
    expect(p99).toBeLessThan(besideLoad(P99));
  });

  test("goes on reading and changing other pets while requests wait for another session, which has locked it", async () => {
    const other = new pg.Client(nodes.postgres.url);
    await other.connect();
    await other.query("BEGIN");
    await other.query("SELECT FROM petstore.pets WHERE id = 8 FOR UPDATE");
    const orders = Array.from({ length: AT_ONCE }, () => send("POST", "/v1/store/orders", { petId: 8 }));
    const waiting = [...orders, ...changes(() => 8, AT_ONCE)];
    const [{ failed, p99 }, ...changed] = await Promise.all([reads(), ...changes((i) => i + 9, PETS / 2)]);
    const waited = await Promise.all(waiting);
    await other.end();
    expect(changed.map(({ status }) => status)).toEqual(changed.map(() => 200));
    for (const response of waited) {
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ code: "service_unavailable" });
    }
    // A busy machine may stand still for the second after which a request is 503. If reads waited for the lock, all would be.
    expect(failed).toBeLessThan(READS / 100);
    expect(p99).toBeLessThan(besideLoad(P99));
  });
});
