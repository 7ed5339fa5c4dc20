import { afterEach, expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import pino from "pino";
import { FallbackLimiter } from "../../../src/adapters/memory/fallback-limiter.ts";
import { connectionTo, type RedisConnection } from "../../../src/adapters/redis/connect.ts";
import { firstName } from "../../../src/adapters/redis/eviction.ts";
import { RedisLimiter, slotOf } from "../../../src/adapters/redis/limiter.ts";
import { FallbackCounts } from "../../../src/domain/limits/fallback-counts.ts";
import { evictionCheck } from "../../../src/wiring/health.ts";
import { eventually } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { metricsAt } from "../../support/metrics.ts";
import { Node } from "../../support/nodes.ts";
import { freePort } from "../../support/ports.ts";
import { hasRedis, type RedisServer, startRedis } from "../../support/redis.ts";
import { sqliteIn } from "../../support/store.ts";
import { temporaryDirectory } from "../../support/temporary.ts";

if (!hasRedis) console.log("skipped: there is no redis-server on this machine");

/** As managed services have it: the user asks neither for the configuration nor for INFO. */
const RESTRICTED = ["--user", ..."default on nopass ~* &* +@all -config -info".split(" ")];
/** What Redis takes by itself is nearly 2 MB. */
const SMALL = ["--maxmemory", "3mb"];

const opened: { stop(): unknown }[] = [];
afterEach(async () => {
  for (const { stop } of opened.splice(0).reverse()) await stop();
});

async function redisWith(...settings: string[]): Promise<RedisServer> {
  const server = await startRedis(settings);
  opened.push({ stop: () => server.remove() });
  return server;
}

async function connected({ url }: RedisServer): Promise<RedisConnection> {
  const connection = connectionTo(url);
  opened.push({ stop: () => connection.disconnect() });
  connection.on("error", () => {});
  await connection.connect();
  return connection;
}

async function limiterOn(server: RedisServer): Promise<RedisLimiter> {
  return new RedisLimiter(await connected(server));
}

/** Counts a request of each of 500 further keys. */
async function useMore(limiter: RedisLimiter): Promise<void> {
  const ids = Array.from({ length: 500 }, () => randomUUID());
  await Promise.all(ids.map((id) => limiter.take({ id, limits: { perMinute: 60, perDay: 1_000 } })));
}

test("of a thousand shards nearly each has a key that shows it", () => {
  const slots = new Map<string, number>();
  const shardOf = (name: string) => {
    const slot = slots.get(name) ?? slotOf(name);
    slots.set(name, slot);
    return Math.floor((slot * 1_000) / 16_384);
  };
  const names = Array.from({ length: 1_000 }, (_, shard) => firstName((name) => shardOf(name) === shard));
  expect(names.filter((name) => name === undefined).length).toBeLessThan(10);
  // A cluster has no such shard.
  expect(firstName((name) => shardOf(name) === 1_000)).toBeUndefined();
});

test.skipIf(!hasRedis)("each policy but noeviction is found, also when it is set while the service runs", async () => {
  states(
    "docs/upgrading.md",
    "`Redis may evict counts of limits` in the log | Its `maxmemory-policy` is not `noeviction`",
  );
  states("docs/running.md", "each node asks each primary for its `maxmemory-policy`");
  const server = await redisWith();
  const limiter = await limiterOn(server);
  const found = async (policy: string) => {
    await server.call("CONFIG", "SET", "maxmemory-policy", policy);
    await limiter.checkEviction();
    return limiter.eviction;
  };
  for (const policy of ["allkeys-lru", "volatile-lru", "volatile-ttl", "allkeys-random", "volatile-lfu"])
    expect(await found(policy)).toBe(policy);
  expect(await found("noeviction")).toBeUndefined();
});

test.skipIf(!hasRedis)("it is logged at each change, once", async () => {
  states(
    "docs/upgrading.md",
    "Its `maxmemory-policy` is not `noeviction`, or it has lost a key. | Set `noeviction`, and give Redis enough memory",
  );
  states(
    "docs/monitoring.md",
    "`Redis may evict counts of limits: set its maxmemory-policy to noeviction` | warn | `eviction` is the policy of Redis",
    "Logged with each change; `Redis evicts no counts of limits any more` follows.",
  );
  const lines: { msg: string; eviction?: string }[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const server = await redisWith();
  const check = evictionCheck(await limiterOn(server), log);
  for (const policy of ["noeviction", "allkeys-lru", "allkeys-lru", "volatile-ttl", "noeviction", "noeviction"]) {
    await server.call("CONFIG", "SET", "maxmemory-policy", policy);
    await check();
  }
  expect(lines.map(({ msg, eviction }) => [msg, eviction])).toEqual([
    ["Redis may evict counts of limits: set its maxmemory-policy to noeviction", "allkeys-lru"],
    ["Redis may evict counts of limits: set its maxmemory-policy to noeviction", "volatile-ttl"],
    ["Redis evicts no counts of limits any more", undefined],
  ]);
});

test.skipIf(!hasRedis)("what was found stays while Redis is away, and is found anew when it is back", async () => {
  states(
    "docs/running.md",
    "Where a managed service refuses that, the node sets a key that nothing uses, and notices when it is gone, which `FLUSHALL` looks like, too.",
  );
  const own = await redisWith("--maxmemory-policy", "allkeys-lru");
  const limiter = await limiterOn(own);
  await limiter.checkEviction();
  await own.kill();
  await limiter.checkEviction();
  expect(limiter.eviction).toBe("allkeys-lru");
  await own.start();
  await own.call("CONFIG", "SET", "maxmemory-policy", "noeviction");
  await eventually(async () => {
    await limiter.checkEviction();
    return limiter.eviction === undefined;
  });
});

test.skipIf(!hasRedis).each(["allkeys-lru", "volatile-lru"])(
  "where neither CONFIG nor INFO is allowed, a key that is lost by %s shows it, until a new connection",
  async (policy) => {
    states("docs/monitoring.md", "`observed` if it does not name one, and has lost a key.");
    states(
      "docs/running.md",
      "Where a managed service refuses that, the node sets a key that nothing uses, and notices when it is gone",
    );
    const own = await redisWith(...RESTRICTED, ...SMALL, "--maxmemory-policy", policy);
    const limiter = await limiterOn(own);
    for (let i = 0; i < 2; i++) {
      await useMore(limiter);
      await limiter.checkEviction();
      expect(limiter.eviction).toBeUndefined();
    }
    await eventually(async () => {
      await useMore(limiter);
      await limiter.checkEviction();
      return limiter.eviction === "observed";
    });
    await limiter.checkEviction();
    expect(limiter.eviction).toBe("observed");
    await own.kill();
    await own.start();
    // Without persistence it has lost the sentinel too, which is no eviction.
    await eventually(async () => {
      await limiter.checkEviction();
      return limiter.eviction === undefined;
    });
    await limiter.checkEviction();
    expect(limiter.eviction).toBeUndefined();
  },
);

test.skipIf(!hasRedis)(
  "where neither is allowed, a Redis that was restarted without its data has evicted nothing, each time",
  async () => {
    const own = await redisWith(...RESTRICTED);
    const limiter = await limiterOn(own);
    const redis = await connected(own);
    for (let i = 0; i < 3; i++) {
      await eventually(async () => {
        await limiter.checkEviction();
        return (await redis.keys("*").catch(() => [])).length === 1;
      });
      await limiter.checkEviction();
      expect(limiter.eviction).toBeUndefined();
      await own.kill();
      await own.start();
    }
  },
);

test.skipIf(!hasRedis)("the key that shows it expires after a day, as the counts do", async () => {
  const own = await redisWith(...RESTRICTED);
  await (await limiterOn(own)).checkEviction();
  const redis = await connected(own);
  const [key = "", ...others] = await redis.keys("*");
  expect([key, others]).toEqual([expect.stringContaining("eviction-"), []]);
  const left = await redis.pttl(key);
  expect([left > 0, left <= 86_400_000]).toEqual([true, true]);
});

test.skipIf(!hasRedis)("a node decides no more than the limit of a key that Redis evicts again and again", async () => {
  states(
    "docs/running.md",
    "A Redis that evicts forgets what keys have used, so a key gets more than its limit at a node that has not seen it.",
  );
  states(
    "docs/reliability.md",
    "Redis evicts keys (`allkeys-lru` and others) | What a node has seen used up stays used up there.",
  );
  const own = await redisWith(...SMALL, "--maxmemory-policy", "allkeys-lru");
  const filler = await connected(own);
  const limiter = new FallbackLimiter({
    shared: await limiterOn(own),
    counts: new FallbackCounts({ process: "a-process", nodes: 3 }),
    clock: Date.now,
    patience: 10_000,
    onFailure: () => {},
    onReturn: () => {},
    onKeyFailure: () => {},
  });
  let [allowed, evicted] = [0, 0];
  for (let i = 0; i < 6; i++) {
    for (let j = 0; j < 20; j++) {
      const { outcome } = await limiter.take({ id: "key_free", limits: { perMinute: 60, perDay: 1_000 } });
      if (outcome === "allowed") allowed += 1;
    }
    for (let j = 0; j < 60; j++) await filler.set(`filler_${j}`, "x".repeat(100_000));
    if ((await filler.exists("petstore:{key_free}")) === 0) evicted += 1;
  }
  expect(evicted).toBeGreaterThan(0);
  expect(allowed).toBe(60);
  limiter.close();
});

test.skipIf(!hasRedis)("a node says it in its log, its metrics and its state", async () => {
  states("docs/reliability.md", "The log, a metric and the console say that Redis may evict.");
  states("docs/reliability.md", "The log, a metric");
  states("docs/running.md", "Either is a warning in the log, the metric `petstore_redis_may_evict`");
  const { url } = await redisWith("--maxmemory-policy", "volatile-lru");
  const { url: database } = sqliteIn(temporaryDirectory());
  const node = new Node(await freePort(), { DATABASE_URL: database, REDIS_URL: url });
  opened.push({ stop: () => node.kill() });
  await node.start();
  await eventually(() => node.said("Redis may evict counts of limits") === 1);
  expect((await metricsAt(node.adminUrl)).value("petstore_redis_may_evict")).toBe(1);
});
