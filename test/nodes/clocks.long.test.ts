import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { FalseClock, hasFalseClocks } from "../support/false-clock.ts";
import { states } from "../support/markdown.ts";
import { metricsAt } from "../support/metrics.ts";
import { Node } from "../support/nodes.ts";
import { freePort } from "../support/ports.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { hasRedis, type RedisServer, startRedis } from "../support/redis.ts";
import { commandFor, MAIN } from "../support/runtime.ts";
import { startWorkers } from "../support/workers.ts";

if (!hasFalseClocks) console.log("skipped: there is no libfaketime on this machine");

/** In seconds: how far the clock of each node is ahead. */
const OFFSETS = [0, 600, -600, 5];

describe.skipIf(!hasRedis || !hasFalseClocks)("nodes compare their clocks with the servers'", () => {
  let postgres: Postgres;
  let redis: RedisServer;
  let nodes: Node[];
  beforeAll(async () => {
    [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    nodes = await Promise.all(
      OFFSETS.map(async (offset) => {
        const env = { DATABASE_URL: postgres.url, REDIS_URL: redis.url, ...new FalseClock(offset).env };
        const node = new Node(await freePort(), env);
        await node.start();
        return node;
      }),
    );
  });
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.kill()));
    await Promise.all([postgres.remove(), redis.remove()]);
  });

  const expected: [name: string, number: number, status: number, message: string][] = [
    ["right", 0, 200, ""],
    ["10 minutes fast", 1, 503, "this node's clock is wrong: it is not ready"],
    ["10 minutes slow", 2, 503, "this node's clock is wrong: it is not ready"],
    ["5 seconds fast", 3, 200, "this node's clock differs from the servers'"],
  ];

  test.each(expected)("a node whose clock is %s", async (_, number, status, message) => {
    states(
      "docs/reliability.md",
      "The clock of one node of several is 10 minutes wrong at its start | It is not ready, and says so in the log, in `/readyz` and in a metric.",
    );
    states(
      "docs/running.md",
      "its clock is wrong,",
      "and is not ready above 30 s.",
      "Each node compares its clock with those of PostgreSQL and Redis when it starts",
    );
    const node = nodes[number];
    if (node === undefined) throw new Error("there is no such node");
    expect((await fetch(`${node.url}/readyz`)).status).toBe(status);
    expect((await fetch(`${node.url}/livez`)).status).toBe(200);
    expect(node.log.filter(({ msg }) => String(msg).includes("clock")).map(({ msg }) => msg)).toEqual(
      message === "" ? [] : [message],
    );
    const seconds = (await metricsAt(node.adminUrl)).value("petstore_clock_difference_seconds");
    expect(Math.abs(seconds - (OFFSETS[number] ?? 0))).toBeLessThan(1);
  });

  test("the parent of workers whose clock is slow is not ready either", async () => {
    states(
      "docs/running.md",
      "Time is Redis's for limits and the nodes' for keys, usage and `keys unban`: synchronise all clocks.",
    );
    const env = { DATABASE_URL: postgres.url, REDIS_URL: redis.url, ...new FalseClock(-10_800).env };
    const workers = await startWorkers(commandFor(MAIN, "bun"), 2, env);
    try {
      const probes = [workers.url, workers.adminUrl].map(async (url) => (await fetch(`${url}/readyz`)).status);
      expect(await Promise.all(probes)).toEqual([503, 503]);
    } finally {
      await workers.remove();
    }
  });
});
