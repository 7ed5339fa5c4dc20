import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { Workplace } from "../commands/petstore.ts";
import { bearer, Client } from "../support/client.ts";
import { startNodes } from "../support/nodes.ts";
import { hasRedis } from "../support/redis.ts";
import { commandFor } from "../support/runtime.ts";
import { startWorkers } from "../support/workers.ts";

if (!hasRedis) console.log("skipped: there is no redis-server on this machine, which the nodes use here");

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const env = { PETSTORE_DEPLOYMENT: "staging" };
const REQUESTS = 120;

/** Processes of one staging service: their addresses, and a client of its administration. */
type System = { urls: string[]; admin: Client; remove: () => Promise<void> };

async function nodesOnPostgres(): Promise<System> {
  const nodes = await startNodes({ count: 3, env });
  const [admin = new Client({ url: "", headers: {} })] = (await nodes.withOperator()).clients;
  return { urls: nodes.nodes.map(({ url }) => url), admin, remove: () => nodes.remove() };
}

async function workersOnSqlite(): Promise<System> {
  const petstore = new Workplace();
  const workers = await startWorkers(commandFor(MAIN), 3, { ...env, DATABASE_URL: petstore.store.url });
  const { json } = await petstore.run(["operators", "create", "--name", "Ada", "--role", "admin", "--json"], { env });
  const remove = async () => {
    await workers.remove();
    petstore.remove();
  };
  const admin = Client.ofOperator({ url: workers.adminUrl, headers: bearer(json.token) });
  return { urls: [workers.url], admin, remove };
}

const systems = [
  { name: "three nodes on PostgreSQL", start: nodesOnPostgres, isHere: hasRedis },
  { name: "three workers on a SQLite file", start: workersOnSqlite, isHere: true },
];

describe.each(systems.filter(({ isHere }) => isHere))("$name", ({ start }) => {
  let system: System;
  beforeAll(async () => {
    system = await start();
  }, 60_000);
  afterAll(() => system?.remove());

  /** The number of simulated answers to so many concurrent requests, each on a connection of its own. */
  async function simulatedOf(requests: number, secret: string): Promise<number> {
    const { urls } = system;
    const headers = { ...bearer(secret), Connection: "close" };
    const markers = await Promise.all(
      Array.from({ length: requests }, async (_, i) => {
        const response = await fetch(`${urls[i % urls.length]}/v1/pets?limit=1`, { headers });
        await response.text();
        expect(response.status).toBe(response.headers.has("Petstore-Simulated") ? 429 : 200);
        return response.headers.get("Petstore-Simulated");
      }),
    );
    return markers.filter((marker) => marker === "rate_limit_exceeded").length;
  }

  test.each([
    [{ next: 50 }, 50, null],
    [{ every: 6 }, 20, { requests: REQUESTS }],
  ])(
    "count together the requests of a key with the schedule %j, exactly",
    async (schedule, expected, left) => {
      const { admin } = system;
      const created = (await admin.post("/admin/v1/keys", { name: "Shop", plan: "business" })).body;
      const path = `/admin/v1/keys/${created.key.id}`;
      await admin.put(`${path}/simulation`, { answer: "rate_limit_exceeded", ...schedule });
      expect(await simulatedOf(REQUESTS, created.secret)).toBe(expected);
      const { simulation } = (await admin.get(path)).body;
      if (left === null) expect(simulation).toBeNull();
      else expect(simulation).toMatchObject(left);
      await admin.delete(`${path}/simulation`);
      expect(await simulatedOf(30, created.secret)).toBe(0);
    },
    30_000,
  );
});
