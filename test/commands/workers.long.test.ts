import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { measuresAt } from "../support/metrics.ts";
import { createKeyOn } from "../support/nodes.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { hasRedis, type RedisServer, startRedis } from "../support/redis.ts";
import { commandFor, runtimes } from "../support/runtime.ts";
import { isRunning, type RunningWorkers, startWorkers } from "../support/workers.ts";
import { Workplace } from "./petstore.ts";

if (!hasRedis) console.log("skipped: there is no redis-server on this machine, which several workers need");

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
/** How many requests of the first key's business plan succeed in a minute. */
const PER_MINUTE = 1_000;

/** Asks on a connection of its own, which the system gives to any of them. */
async function ask(url: string, secret?: string): Promise<number> {
  const headers = { Connection: "close", ...(secret !== undefined && { Authorization: `Bearer ${secret}` }) };
  const response = await fetch(`${url}${secret === undefined ? "/readyz" : "/v1/pets?limit=1"}`, { headers });
  await response.arrayBuffer();
  return response.status;
}

describe.skipIf(!hasRedis).each(runtimes)("three workers on %s", (runtime) => {
  let postgres: Postgres;
  let redis: RedisServer;
  let workers: RunningWorkers;
  const env = (more: Record<string, string> = {}) => ({
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    PETSTORE_REQUEST_LOG: "true",
    ...more,
  });
  beforeAll(async () => {
    [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    workers = await startWorkers(commandFor(MAIN, runtime), 3, env());
  }, 30_000);
  afterAll(async () => {
    await workers?.remove();
    await Promise.all([postgres?.remove(), redis?.remove()]);
  });

  test("show one first key, and count its limit together, exactly", async () => {
    expect(workers.firstKeys).toHaveLength(1);
    const [secret = ""] = workers.firstKeys;
    const statuses = await Promise.all(Array.from({ length: 1_500 }, () => ask(workers.url, secret)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(PER_MINUTE);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1_500 - PER_MINUTE);
  }, 30_000);

  test("have one administration listener, in their parent", async () => {
    const { adminPort } = workers.log.find(({ msg }) => msg === "started") ?? {};
    const url = `http://127.0.0.1:${adminPort}`;
    const petstore = new Workplace();
    const args = ["operators", "create", "--name", "Ada", "--role", "admin", "--json"];
    const created = await petstore.run(args, { env: env() });
    const { token } = await created.json;
    petstore.remove();
    const admin = Client.ofOperator({ url, headers: { Authorization: `Bearer ${token}` } });
    const { keys } = (await admin.get("/admin/v1/keys")).body;
    expect(keys).toMatchObject([{ name: "first key", usage: { minute: { used: PER_MINUTE, remaining: 0 } } }]);
    expect((await admin.get("/admin/v1/state")).body).toMatchObject({ database: { ok: true }, redis: { ok: true } });
    expect(workers.log.filter(({ adminPort: own }) => own !== undefined)).toHaveLength(1);
  }, 30_000);

  const answered = async (status: string) =>
    (await measuresAt(workers.adminUrl)).sum("petstore_http_requests_total", { operation: "listPets", status });

  test("report their metrics as one", async () => {
    expect(await Promise.all(["200", "429"].map(answered))).toEqual([PER_MINUTE, 1_500 - PER_MINUTE]);
    const read = await measuresAt(workers.adminUrl);
    expect(read.value("petstore_limiter_decisions_total", { limit: "key", outcome: "allowed" })).toBe(PER_MINUTE);
    expect(read.value("petstore_store_duration_seconds_count", { store: "redis", operation: "limiter.take" })).toBe(
      1_500,
    );
    expect(read.all("petstore_build_info").map(({ value }) => value)).toEqual([1]);
    // Three that serve, and the one that started them.
    expect(read.value("process_resident_memory_bytes")).toBeGreaterThan(4 * 20e6);
  });

  test("all answer on one address", async () => {
    const answering = () => new Set(workers.log.filter(({ msg }) => msg === "request").map(({ pid }) => pid));
    await eventually(async () => (await ask(workers.url)) === 200 && answering().size === 3);
    expect(answering()).toEqual(new Set(workers.pids));
  });

  test("continue when one is killed, and replace it", async () => {
    const { secret } = await createKeyOn(postgres.url);
    const [killed = 0] = workers.pids;
    const before = await answered("200");
    process.kill(killed, "SIGKILL");
    await eventually(() => workers.log.some(({ worker }) => worker === killed));
    const statuses = await Promise.all(Array.from({ length: 100 }, () => ask(workers.url, secret)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    await eventually(() => workers.pids.length === 4);
    expect(workers.pids.filter(isRunning)).toHaveLength(3);
    expect(workers.firstKeys).toHaveLength(1);
    // What the killed one had counted stays counted.
    expect(await answered("200")).toBe(before + 100);
  }, 30_000);

  test("all stop on SIGTERM, within 10 s", async () => {
    const began = performance.now();
    expect(await workers.end("SIGTERM")).toBe(0);
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(workers.pids.filter(isRunning)).toEqual([]);
    // Four that served: the one that was killed had no time to say so. And the one that started them.
    expect(workers.log.filter(({ msg }) => msg === "stopped")).toHaveLength(4);
  }, 20_000);

  test("do not outlive their parent", async () => {
    const others = await startWorkers(commandFor(MAIN, runtime), 2, env());
    try {
      await others.end("SIGKILL");
      await eventually(() => others.pids.filter(isRunning).length === 0);
    } finally {
      await others.remove();
    }
  }, 30_000);

  test("fail to start, with the reason, when they cannot listen", async () => {
    const occupant = createServer().listen(0, "127.0.0.1");
    await once(occupant, "listening");
    const address = occupant.address();
    const PORT = String(typeof address === "object" ? address?.port : "");
    try {
      const start = startWorkers(commandFor(MAIN, runtime), 2, env({ PORT }));
      await expect(start).rejects.toThrow(/in use[\s\S]*a worker ended before it listened/);
    } finally {
      occupant.close();
    }
  });
});

describe("workers are refused", () => {
  let petstore: Workplace;
  beforeAll(() => {
    petstore = new Workplace();
  });
  afterAll(() => petstore.remove());

  test.each(["0", "x", "1.5", "-1", "257", ""])("for --workers '%s'", async (number) => {
    const { code, stdout, stderr } = await petstore.run(["serve", `--workers=${number}`]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("It must be a whole number from 1 to 256, or auto.");
  });

  test.each([
    ["SQLite", {}, "SQLite allows only one process"],
    ["no Redis", { DATABASE_URL: "postgres://localhost/x" }, "Several workers need REDIS_URL"],
    [
      "port 0",
      { DATABASE_URL: "postgres://localhost/x", REDIS_URL: "redis://localhost", PORT: "0" },
      "Several workers need a fixed PORT",
    ],
  ])("with %s", async (_, env, reason) => {
    const { code, stdout, stderr } = await petstore.run(["serve", "--workers", "2"], { env });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toStartWith(`error: ${reason}`);
  });
});
