import { afterEach, describe, expect, test } from "bun:test";
import { execFileSync, spawnSync } from "node:child_process";
import { FallbackLimiter } from "../../../src/adapters/memory/fallback-limiter.ts";
import { type Connection, connectionTo } from "../../../src/adapters/redis/connect.ts";
import { RedisLimiter } from "../../../src/adapters/redis/limiter.ts";
import { FallbackCounts } from "../../../src/domain/limits/fallback-counts.ts";
import { freePort } from "../../support/ports.ts";
import { hasRedis, type RedisServer, startRedis, startSentinel } from "../../support/redis.ts";

const hasTools = hasRedis && spawnSync("redis-cli", ["--version"]).status === 0;
if (!hasTools) console.log("skipped: redis-server or redis-cli is not on this machine");

const open: { connections: Connection[]; servers: RedisServer[] } = { connections: [], servers: [] };
afterEach(async () => {
  for (const connection of open.connections.splice(0)) connection.disconnect();
  await Promise.all(open.servers.splice(0).map((server) => server.remove()));
});

async function connected(url: string): Promise<Connection> {
  const connection = connectionTo(url);
  connection.on("error", () => {});
  open.connections.push(connection);
  await connection.connect();
  return connection;
}

/** Takes `count` times for each of many keys. Gives how many were allowed. */
async function allowedOf(limiters: RedisLimiter[], keys: number, count: number): Promise<number> {
  const requests = Array.from({ length: keys * count }, (_, i) => {
    const subject = { id: `key_${i % keys}`, limits: { perMinute: 5, perDay: 50 } };
    return limiters[i % limiters.length]?.take(subject);
  });
  return (await Promise.all(requests)).filter((decision) => decision?.outcome === "allowed").length;
}

describe.skipIf(!hasTools)("limits are exact", () => {
  test("on a cluster of three primaries, for keys in all of their slots", async () => {
    const { url } = await startCluster();
    const limiters = [new RedisLimiter(await connected(url)), new RedisLimiter(await connected(url))];
    expect(await allowedOf(limiters, 40, 12)).toBe(40 * 5);
    expect((await limiters[0]?.limitStateOf("key_7"))?.minute.count).toBe(5);
  });

  test("behind Sentinel, which names the primary", async () => {
    const server = await startRedis();
    open.servers.push(server);
    const sentinel = await startSentinel(await freePort(), server);
    open.servers.push(sentinel);
    const limiter = new RedisLimiter(await connected(`redis+sentinel://127.0.0.1:${sentinel.port}/pets`));
    expect(await allowedOf([limiter], 3, 12)).toBe(3 * 5);
  });
});

/** A cluster of three primaries. */
async function startCluster(): Promise<{ servers: RedisServer[]; url: string }> {
  const settings = [
    "--cluster-enabled",
    "yes",
    "--cluster-node-timeout",
    "2000",
    "--cluster-require-full-coverage",
    "no",
  ];
  const servers = await Promise.all([1, 2, 3].map(() => startRedis(settings)));
  open.servers.push(...servers);
  const addresses = servers.map(({ port }) => `127.0.0.1:${port}`);
  execFileSync("redis-cli", ["--cluster", "create", ...addresses, "--cluster-yes"], { stdio: "pipe" });
  // The slots are known to all of them a moment later.
  while (!(await isComplete(servers[2]?.port ?? 0))) await new Promise((resolve) => setTimeout(resolve, 50));
  return { servers, url: `redis+cluster://${addresses.join(",")}` };
}

async function isComplete(port: number): Promise<boolean> {
  const info = execFileSync("redis-cli", ["-p", String(port), "cluster", "info"], { encoding: "utf8" });
  return info.includes("cluster_state:ok");
}

describe.skipIf(!hasTools)("when a shard of a cluster", () => {
  const faults: [name: string, begin: (server: RedisServer) => unknown, end: (server: RedisServer) => unknown][] = [
    ["hangs", (server) => server.freeze(), (server) => server.thaw()],
    ["is killed", (server) => server.kill(), (server) => server.start()],
  ];

  test.each(faults)(
    "%s, its keys alone are counted by this node, until it is back",
    async (_, begin, end) => {
      const { servers, url } = await startCluster();
      const [lost] = servers as [RedisServer];
      const failed: string[] = [];
      const shared = new RedisLimiter(await connected(url));
      const back = Promise.withResolvers<void>();
      const limiter = new FallbackLimiter({
        shared,
        counts: new FallbackCounts({ process: "a-process", nodes: 3 }),
        clock: Date.now,
        patience: 250,
        onFailure: (_, shard) => failed.push(shard),
        onReturn: () => back.resolve(),
        onKeyFailure: (_, keyId) => failed.push(keyId),
      });
      const limits = { perMinute: 60, perDay: 1_000 };
      const ids = Array.from({ length: 60 }, (_, i) => `key_${i}`);
      /** So many requests of each key. Returns how many of each were allowed, of the shard's keys and of the others. */
      const take = async (count: number) => {
        const allowed = await Promise.all(
          ids.map(async (id) => {
            const decisions = await Promise.all(Array.from({ length: count }, () => limiter.take({ id, limits })));
            return decisions.filter(({ outcome }) => outcome === "allowed").length;
          }),
        );
        const of = (isLost: boolean) =>
          new Set(allowed.filter((_, i) => (shared.shardOf(ids[i] ?? "") === `127.0.0.1:${lost.port}`) === isLost));
        return { lost: [...of(true)], others: [...of(false)] };
      };
      expect(await take(20)).toEqual({ lost: [20], others: [20] });
      await begin(lost);
      expect(await take(10)).toEqual({ lost: [6], others: [10] });
      expect(failed).toEqual([`127.0.0.1:${lost.port}`]);
      await end(lost);
      await back.promise;
      expect(await take(70)).toEqual({ lost: [34], others: [30] });
      limiter.close();
    },
    30_000,
  );
});
