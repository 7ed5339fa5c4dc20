import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Detour } from "../support/detour.ts";
import { besideLoad, eventually } from "../support/eventually.ts";
import { Load, percentile } from "../support/load.ts";
import { states } from "../support/markdown.ts";
import { type Nodes, startNodes } from "../support/nodes.ts";
import { hasRedis } from "../support/redis.ts";

if (!hasRedis) console.log("skipped: there is no redis-server on this machine");

const ALONE = "Redis fails:";
const TOGETHER = "Redis works again";

describe.skipIf(!hasRedis)("when Redis", () => {
  let nodes: Nodes;
  let detour: Detour;
  beforeEach(async () => {
    nodes = await startNodes({
      count: 2,
      urls: async (_postgres, redis) => {
        detour = await Detour.to(redis.port);
        return { REDIS_URL: `redis://127.0.0.1:${detour.port}` };
      },
    });
  });
  afterEach(async () => {
    detour.close();
    await nodes.remove();
  });

  const faults: [name: string, begin: () => unknown, end: () => unknown][] = [
    ["is killed", () => nodes.redis.kill(), () => nodes.redis.start()],
    ["stands still", () => nodes.redis.freeze(), () => nodes.redis.thaw()],
    [
      "takes a second for each call",
      () => {
        detour.delay = 500;
      },
      () => {
        detour.delay = 0;
      },
    ],
    ["is cut off", () => detour.cut(), () => detour.mend()],
    [
      "is full",
      () => nodes.redis.call("CONFIG", "SET", "maxmemory", "1"),
      () => nodes.redis.call("CONFIG", "SET", "maxmemory", "0"),
    ],
    [
      "is read-only",
      () => nodes.redis.call("REPLICAOF", "127.0.0.1", "1"),
      () => nodes.redis.call("REPLICAOF", "NO", "ONE"),
    ],
  ];

  test.each(faults)(
    "%s, every node soon counts alone, logs it once, and returns by itself",
    async (name, begin, end) => {
      states("docs/running.md", "Each node logs this once, and once more at the end");
      states(
        "docs/reliability.md",
        "Redis is killed | Each node counts on alone. The p99 of responses stays within 50 ms of its usual value. The log reports it once. The node returns by itself within 2 s.",
        "Redis takes a second for each call",
        "Redis is unreachable, connections stay open",
      );
      const { secret } = await nodes.createKey();
      await using load = new Load({
        urls: nodes.nodes.map(({ url }) => url),
        secret,
        workers: 4,
        pids: () => nodes.pids,
      });
      await load.run(1_000);
      // On a busy machine a node may have counted alone for a moment.
      const isTogether = () => nodes.nodes.every((node) => node.said(ALONE) === node.said(TOGETHER));
      await eventually(isTogether);
      const before = nodes.nodes.map((node) => node.said(ALONE));
      const begun = load.now();
      await begin();
      await load.run(3_000);
      await eventually(() => nodes.nodes.every((node, i) => node.said(ALONE) > (before[i] ?? 0)));
      for (const [i, node] of nodes.nodes.entries()) {
        const earlier = before[i] ?? 0;
        expect([node.said(ALONE) - earlier, node.said(TOGETHER) - earlier]).toEqual([1, 0]);
      }
      await end();
      const ended = load.now();
      await eventually(isTogether);
      expect(load.now() - ended).toBeLessThan(besideLoad(2_000));
      const returned = Math.round(load.now() - ended);
      await load.run(500);
      const outcomes = await load.stop();

      for (const { status } of outcomes) expect(status).toBe(200);
      const p99 = (isOf: (began: number) => boolean) =>
        percentile(
          outcomes.filter(({ began }) => isOf(began)).map(({ took }) => took),
          0.99,
        );
      const [usual, meanwhile] = [p99((began) => began < begun), p99((began) => began >= begun - 100)];
      const slowest = Math.max(...outcomes.filter(({ began }) => began >= begun - 100).map(({ took }) => took));
      console.log(
        `Redis ${name}: p99 ${usual.toFixed(1)} ms before and ${meanwhile.toFixed(1)} ms since, slowest ${slowest.toFixed(0)} ms; returned after ${returned} ms`,
      );
      expect(meanwhile - usual).toBeLessThan(besideLoad(50));
    },
  );

  test("is away, every key still has limits: a used one none, and of a new one each node allows a tenth at once", async () => {
    states(
      "docs/reliability.md",
      "Until then, at most a second, a node that has not seen a key may allow it at most its limit once more.",
      "One that sends to several nodes at once may get more, because each of them knows only what it saw.",
    );
    const limits = { perMinute: 100, perDay: 1_000 };
    const [{ secret }, used] = [await nodes.createKey(limits), await nodes.createKey(limits)];
    const spend = async (count: number) => {
      const all = nodes
        .clients(used.secret)
        .flatMap((client) => Array.from({ length: count }, () => client.get("/v1/pets")));
      return (await Promise.all(all)).filter(({ status }) => status === 200).length;
    };
    expect(await spend(80)).toBe(100);
    // Each node has seen that it is used up.
    expect(await spend(1)).toBe(0);
    await nodes.redis.kill();
    expect(await spend(20)).toBe(0);
    for (const client of nodes.clients(secret)) {
      const answers = await Promise.all(Array.from({ length: 80 }, () => client.get("/v1/pets?limit=1")));
      // The plan's rate goes on meanwhile.
      expect(answers.filter(({ status }) => status === 200).length).toBeWithin(10, 13);
      for (const { status, headers } of answers) {
        expect(headers.get("X-RateLimit-Limit")).toBe("100");
        if (status === 429) expect(Number(headers.get("Retry-After"))).toBeWithin(1, 6);
      }
    }
  });
});
