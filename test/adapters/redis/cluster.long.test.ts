import { afterEach, describe, expect, test } from "bun:test";
import { execFileSync, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { FallbackLimiter } from "../../../src/adapters/memory/fallback-limiter.ts";
import { connectionTo, type RedisConnection } from "../../../src/adapters/redis/connect.ts";
import { RedisLimiter } from "../../../src/adapters/redis/limiter.ts";
import { FallbackCounts } from "../../../src/domain/limits/fallback-counts.ts";
import { eventually } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { freePort } from "../../support/ports.ts";
import { hasRedis, type RedisServer, startRedis, startSentinel } from "../../support/redis.ts";

const hasTools = hasRedis && spawnSync("redis-cli", ["--version"]).status === 0;
if (!hasTools) console.log("skipped: redis-server or redis-cli is not on this machine");

const open: { connections: RedisConnection[]; servers: RedisServer[] } = { connections: [], servers: [] };
afterEach(async () => {
  for (const connection of open.connections.splice(0)) connection.disconnect();
  await Promise.all(open.servers.splice(0).map((server) => server.remove()));
});

async function connected(url: string): Promise<RedisConnection> {
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
    states(
      "docs/scaling.md",
      "the distribution of load over keys: one API key is counted in one place",
      "as long as no single API key exceeds what one primary can decide.",
    );
    states("docs/scaling.md", "Redis Cluster distributes keys by slot");
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

describe.skipIf(!hasTools)("of a cluster of three primaries, one that may evict keys is found", () => {
  test("by its policy", async () => {
    const { servers, url } = await startCluster();
    const limiter = new RedisLimiter(await connected(url));
    await limiter.checkEviction();
    expect(limiter.eviction).toBeUndefined();
    await servers[1]?.call("CONFIG", "SET", "maxmemory-policy", "volatile-ttl");
    await limiter.checkEviction();
    expect(limiter.eviction).toBe("volatile-ttl");
  });

  test("by a key that it has lost, where neither CONFIG nor INFO is allowed", async () => {
    const { servers, url } = await startCluster();
    await servers[2]?.call("CONFIG", "SET", "maxmemory", "5mb", "maxmemory-policy", "allkeys-lru");
    for (const server of servers) await server.call("ACL", "SETUSER", "default", "-config", "-info");
    const connection = await connected(url);
    const limiter = new RedisLimiter(connection);
    for (let i = 0; i < 2; i++) {
      await limiter.checkEviction();
      expect(limiter.eviction).toBeUndefined();
    }
    await eventually(async () => {
      for (let i = 0; i < 50; i++) await connection.set(randomUUID(), "x".repeat(100_000));
      await limiter.checkEviction();
      return limiter.eviction === "observed";
    });
  });
});

/** How long three servers may take to become a cluster, in ms. */
const FORMING = 15_000;

/** A cluster of three primaries. Servers that do not become one, as when the port of their bus is taken, are left for others. */
async function startCluster(tries = 3): Promise<{ servers: RedisServer[]; url: string }> {
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
  const deadline = performance.now() + FORMING;
  const create = ["--cluster", "create", ...addresses, "--cluster-yes"];
  const { status, stdout } = spawnSync("redis-cli", create, { encoding: "utf8", timeout: FORMING });
  let isFormed = false;
  while (status === 0 && !isFormed && performance.now() < deadline) {
    isFormed = servers.every(({ port }) => knowsAllSlots(port));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  if (!isFormed) {
    console.log(`no cluster on ${addresses}: ${stdout}`);
    if (tries === 1) throw new Error("three servers do not become a cluster");
    return startCluster(tries - 1);
  }
  return { servers, url: `redis+cluster://${addresses.join(",")}` };
}

/** Without full coverage the state of a node that knows only its own slots is "ok", too. */
function knowsAllSlots(port: number): boolean {
  const info = execFileSync("redis-cli", ["-p", String(port), "cluster", "info"], { encoding: "utf8" });
  return info.includes("cluster_state:ok") && info.includes("cluster_slots_ok:16384");
}

/** A limiter that counts alone while `shared` fails, what failed, and when it is back. */
function withFallback(shared: RedisLimiter) {
  const failed: string[] = [];
  const { promise: back, resolve } = Promise.withResolvers<void>();
  const limiter = new FallbackLimiter({
    shared,
    counts: new FallbackCounts({ process: "a-process", nodes: 3 }),
    clock: Date.now,
    patience: 250,
    onFailure: (_, shard) => failed.push(shard),
    onReturn: () => resolve(),
    onKeyFailure: (_, keyId) => failed.push(keyId),
  });
  return { limiter, failed, back };
}

test.skipIf(!hasTools)(
  "after a failover to a replica without the last writes, no key gets more than its limit",
  async () => {
    const primary = await startRedis();
    const replica = await startRedis(["--replicaof", `127.0.0.1 ${primary.port}`]);
    const sentinel = await startSentinel(await freePort(), primary);
    open.servers.push(primary, replica, sentinel);
    const connection = await connected(`redis+sentinel://127.0.0.1:${sentinel.port}/pets`);
    const { limiter } = withFallback(new RedisLimiter(connection));
    const allowed: Record<string, number> = {};
    const take = async (id: string, count: number) => {
      for (let i = 0; i < count; i++) {
        const { outcome } = await limiter.take({ id, limits: { perMinute: 60, perDay: 1_000 } });
        if (outcome === "allowed") allowed[id] = (allowed[id] ?? 0) + 1;
      }
    };
    await take("key_half", 20);
    await eventually(async () => String(await replica.call("EXISTS", "petstore:{key_half}")) === "1");
    // The replica gets nothing from here on.
    await replica.call("REPLICAOF", "NO", "ONE");
    replica.freeze();
    await Promise.all([take("key_half", 20), take("key_full", 60)]);
    await primary.kill();
    await sentinel.call("SENTINEL", "REMOVE", "pets");
    await sentinel.call("SENTINEL", "MONITOR", "pets", "127.0.0.1", String(replica.port), "1");
    replica.thaw();
    const until = performance.now() + 3_000;
    while (performance.now() < until) {
      await Promise.all([take("key_half", 2), take("key_full", 2)]);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(allowed).toEqual({ key_half: 60, key_full: 60 });
    expect(connection.status).toBe("ready");
    const states = new RedisLimiter(await connected(replica.url));
    expect((await states.limitStateOf("key_half"))?.minute.count).toBe(60);
    limiter.close();
  },
);

/** The requests of a key at a time: with more of all keys, each shard of a busy machine seems to hang. */
const AT_ONCE = 2;

describe.skipIf(!hasTools)("when a shard of a cluster", () => {
  const faults: [name: string, begin: (server: RedisServer) => unknown, end: (server: RedisServer) => unknown][] = [
    ["hangs", (server) => server.freeze(), (server) => server.thaw()],
    ["is killed", (server) => server.kill(), (server) => server.start()],
  ];

  test.each(faults)("%s, its keys alone are counted by this node, until it is back", async (_, begin, end) => {
    states("docs/monitoring.md", "`err` has the reason, and with a cluster `shard` the server.");
    states(
      "docs/reliability.md",
      "A shard of Redis Cluster hangs or is killed | The same, for its keys alone. All others stay exact.",
    );
    states("docs/running.md", "With a cluster this concerns only the keys of the shard that is away.");
    const { servers, url } = await startCluster();
    const [lost] = servers as [RedisServer];
    const shared = new RedisLimiter(await connected(url));
    const { limiter, failed, back } = withFallback(shared);
    const limits = { perMinute: 60, perDay: 1_000 };
    const ids = Array.from({ length: 60 }, (_, i) => `key_${i}`);
    /** So many requests of each key. Returns how many of each were allowed, of the shard's keys and of the others. */
    const take = async (count: number) => {
      const allowed = ids.map(() => 0);
      for (let i = 0; i < count; i += AT_ONCE) {
        const decisions = await Promise.all(
          ids.flatMap((id, place) =>
            Array.from({ length: AT_ONCE }, async () => ({ place, ...(await limiter.take({ id, limits })) })),
          ),
        );
        for (const { place, outcome } of decisions)
          if (outcome === "allowed") allowed[place] = (allowed[place] ?? 0) + 1;
      }
      const of = (isLost: boolean) =>
        new Set(allowed.filter((_, i) => (shared.shardOf(ids[i] ?? "") === `127.0.0.1:${lost.port}`) === isLost));
      return { lost: [...of(true)], others: [...of(false)] };
    };
    expect(await take(20)).toEqual({ lost: [20], others: [20] });
    await begin(lost);
    expect(await take(10)).toEqual({ lost: [6], others: [10] });
    expect(failed).toEqual([`127.0.0.1:${lost.port}`]);
    await end(lost);
    await back;
    expect(await take(70)).toEqual({ lost: [34], others: [30] });
    limiter.close();
  });
});
