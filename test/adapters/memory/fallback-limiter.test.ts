import { afterEach, describe, expect, test } from "bun:test";
import { setTimeout as pause } from "node:timers/promises";
import { FallbackLimiter } from "../../../src/adapters/memory/fallback-limiter.ts";
import { MemoryLimiter } from "../../../src/adapters/memory/limiter.ts";
import { type Connection, connectionTo } from "../../../src/adapters/redis/connect.ts";
import { RedisLimiter } from "../../../src/adapters/redis/limiter.ts";
import { Detour } from "../../support/detour.ts";
import { eventually } from "../../support/eventually.ts";
import { hasRedis, type RedisServer, startRedis } from "../../support/redis.ts";

const NODES = 4;
/** How often a failed limiter is probed, in ms. */
const PROBE_INTERVAL = 250;
/** How long the connection waits for a reply, in ms. */
const COMMAND_TIMEOUT = 1_000;
const subject = { id: "key_1", limits: { perMinute: 1_000, perDay: 100_000 } };

let server: RedisServer;
let detour: Detour;
let redis: Connection;
let limiter: FallbackLimiter;
let failures: unknown[];
let keyFailures: string[];
let returns: number[];
let probes: number;
let back: Promise<void>;

class ProbeCounter extends RedisLimiter {
  override probe(keyId?: string): Promise<void> {
    probes += 1;
    return super.probe(keyId);
  }
}

async function setUp(isDirect: boolean): Promise<void> {
  server = await startRedis();
  detour = await Detour.to(server.port);
  redis = connectionTo(isDirect ? server.url : `redis://127.0.0.1:${detour.port}`);
  redis.on("error", () => {});
  await redis.connect();
  failures = [];
  returns = [];
  probes = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  back = promise;
  keyFailures = [];
  limiter = new FallbackLimiter({
    shared: new ProbeCounter(redis),
    local: new MemoryLimiter(Date.now),
    nodes: NODES,
    patience: 35,
    onFailure: (error) => failures.push(error),
    onKeyFailure: (_, keyId) => keyFailures.push(keyId),
    onReturn: (requests) => {
      returns.push(requests);
      resolve();
    },
  });
}
afterEach(async () => {
  limiter?.close();
  redis?.disconnect();
  detour?.close();
  await server?.remove();
});

/** How many ms one decision takes. */
async function timed(): Promise<number> {
  const started = performance.now();
  await limiter.take(subject);
  return performance.now() - started;
}

const faults: [name: string, begin: () => unknown, end: () => unknown][] = [
  ["is killed", () => server.kill(), () => server.start()],
  ["stands still", () => server.freeze(), () => server.thaw()],
  [
    "takes a second for a call",
    () => {
      detour.delay = 500;
    },
    () => {
      detour.delay = 0;
    },
  ],
];

describe.skipIf(!hasRedis).each(faults)("when Redis %s", (_name, begin, end) => {
  test("this node counts alone, for its share, without delays; and returns when Redis answers again", async () => {
    await setUp(false);
    expect(await limiter.take(subject)).toMatchObject({ shown: { limit: 1_000, remaining: 999 } });
    await begin();
    expect(await timed()).toBeLessThan(150);
    expect(await timed()).toBeLessThan(20);
    const alone = await limiter.take(subject);
    expect(alone).toMatchObject({ outcome: "allowed", shown: { limit: 250, remaining: 247 } });
    expect(await limiter.status(subject)).toMatchObject({ minute: { limit: 250, used: 3, remaining: 247 } });
    expect(failures).toHaveLength(1);

    await end();
    const ended = performance.now();
    await back;
    expect(performance.now() - ended).toBeLessThan(2_000);
    expect(returns).toEqual([3]);
    expect(keyFailures).toEqual([]);
    expect(await limiter.take(subject)).toMatchObject({ shown: { limit: 1_000 } });
    expect(await limiter.status(subject)).toMatchObject({ minute: { limit: 1_000 } });
    // It is back, so it looks no more.
    const probed = probes;
    await pause(2 * PROBE_INTERVAL);
    expect(probes).toBe(probed);
  });
});

test.skipIf(!hasRedis)("answers that are late do not bring a node back", async () => {
  await setUp(false);
  detour.delay = 100;
  await limiter.take(subject);
  await eventually(() => probes >= 3);
  expect(failures).toHaveLength(1);
  expect(returns).toEqual([]);
  detour.delay = 0;
  await back;
});

test.skipIf(!hasRedis)(
  "a request that was counted here is not counted again when its call to Redis fails at last",
  async () => {
    await setUp(true);
    await server.freeze();
    await limiter.take(subject);
    await pause(COMMAND_TIMEOUT + 200);
    expect(await limiter.status(subject)).toMatchObject({ minute: { limit: 250, used: 1 } });
    await server.thaw();
    await back;
    expect(returns).toEqual([1]);
  },
);

test.skipIf(!hasRedis)("a node alone is never unlimited", async () => {
  await setUp(true);
  await server.kill();
  const decisions = await Promise.all(Array.from({ length: 300 }, () => limiter.take(subject)));
  expect(decisions.filter(({ outcome }) => outcome === "allowed")).toHaveLength(250);
});

test.skipIf(!hasRedis)("a burst of requests is not a failure: exactly the limit is allowed", async () => {
  await setUp(true);
  const decisions = await Promise.all(Array.from({ length: 5_000 }, () => limiter.take(subject)));
  expect(failures).toEqual([]);
  expect(decisions.filter(({ outcome }) => outcome === "allowed")).toHaveLength(1_000);
});

test.skipIf(!hasRedis)("a busy process does not take its own delay for a failure", async () => {
  await setUp(true);
  const decision = limiter.take(subject);
  const started = performance.now();
  while (performance.now() - started < 200);
  expect(await decision).toMatchObject({ shown: { limit: 1_000, remaining: 999 } });
  expect(failures).toEqual([]);
});

describe.skipIf(!hasRedis)("when Redis answers, but", () => {
  const refusals: [name: string, begin: () => unknown, end: () => unknown, reason: RegExp][] = [
    [
      "is full",
      () => server.call("CONFIG", "SET", "maxmemory", "1"),
      () => server.call("CONFIG", "SET", "maxmemory", "0"),
      /OOM/,
    ],
    [
      "is read-only",
      () => server.call("REPLICAOF", "127.0.0.1", "1"),
      () => server.call("REPLICAOF", "NO", "ONE"),
      /READONLY|Connection is closed/,
    ],
  ];

  test.each(refusals)(
    "%s, this node counts alone until it can count, and reports it once",
    async (_, begin, end, reason) => {
      await setUp(true);
      await limiter.take(subject);
      await begin();
      const until = performance.now() + 1_500;
      let allowed = 0;
      while (performance.now() < until) {
        const { outcome } = await limiter.take(subject);
        if (outcome === "allowed") allowed += 1;
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      expect(failures).toHaveLength(1);
      expect(String(failures[0])).toMatch(reason);
      expect(returns).toEqual([]);
      expect(allowed).toBe(250);
      expect(keyFailures).toEqual([]);

      await end();
      const ended = performance.now();
      await back;
      expect(performance.now() - ended).toBeLessThan(2_000);
      expect(await limiter.take({ ...subject, id: "key_2" })).toMatchObject({ shown: { limit: 1_000 } });
    },
  );

  const damages: [name: string, command: [string, ...string[]]][] = [
    ["another type", ["SET", "petstore:{key_1}", "text"]],
    ["damaged fields", ["HSET", "petstore:{key_1}", "mr", "x", "mc", "y"]],
  ];

  test.each(damages)(
    "one key has %s, that key alone is counted here, and it is reported once each time",
    async (_, command) => {
      await setUp(true);
      await server.call("DEL", "petstore:{key_1}");
      await server.call(...command);
      for (let i = 0; i < 300; i++) await limiter.take(subject);
      expect(await limiter.take(subject)).toMatchObject({ outcome: "rate_limit_exceeded", shown: { limit: 250 } });
      const other = await limiter.take({ ...subject, id: "key_2" });
      expect(other).toMatchObject({ outcome: "allowed", shown: { limit: 1_000 } });
      expect([failures, keyFailures]).toEqual([[], ["key_1"]]);

      await server.call("DEL", "petstore:{key_1}");
      expect(await limiter.take(subject)).toMatchObject({
        outcome: "allowed",
        shown: { limit: 1_000, remaining: 999 },
      });
      await server.call(...command);
      await limiter.take(subject);
      await eventually(() => keyFailures.length === 2);
    },
  );
});

test.skipIf(!hasRedis)("a connection to a former primary is replaced", async () => {
  await setUp(false);
  const other = await startRedis();
  const connections = () => detour.connections;
  expect(connections()).toBe(1);
  await redis.replicaof("127.0.0.1", other.port);
  await limiter.take(subject);
  while (connections() === 1) await new Promise((resolve) => setTimeout(resolve, 20));
  await other.remove();
});
