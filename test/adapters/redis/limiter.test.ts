import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { Cluster } from "ioredis";
import { connectionTo, type RedisConnection } from "../../../src/adapters/redis/connect.ts";
import { RedisLimiter, slotOf } from "../../../src/adapters/redis/limiter.ts";
import { limiterConformance } from "../../conformance/limiter.ts";
import { hasRedis, type RedisServer, startRedis } from "../../support/redis.ts";

describe.skipIf(!hasRedis)("with a Redis server", () => {
  let server: RedisServer;
  let nodes: [RedisConnection, RedisConnection];
  beforeAll(async () => {
    server = await startRedis();
    nodes = [connectionTo(server.url), connectionTo(server.url)];
    await Promise.all(nodes.map((node) => node.connect()));
  });
  afterAll(async () => {
    for (const node of nodes) node.disconnect();
    await server.remove();
  });

  limiterConformance("Redis", async (clock) => {
    const [one, another] = nodes;
    await one.flushall();
    return {
      limiter: new RedisLimiter(one, clock),
      other: new RedisLimiter(another, clock),
      restart: () => new RedisLimiter(another, clock),
      close: () => {},
    };
  });
});

const DAY = 86_400_000;
/** Redis keeps state for so long after it has lost its effect, in ms. */
const MARGIN = 600_000;
/** How much later than the script a test may read the expiry, in ms. */
const DELAY = 60_000;

describe.skipIf(!hasRedis)("in Redis", () => {
  let server: RedisServer;
  let redis: RedisConnection;
  beforeAll(async () => {
    server = await startRedis();
    redis = connectionTo(server.url);
    await redis.connect();
  });
  afterAll(async () => {
    redis.disconnect();
    await server.remove();
  });

  test("counts are kept until ten minutes after the day's end", async () => {
    const now = Date.UTC(2026, 11, 2, 10);
    await new RedisLimiter(redis, () => now).take({ id: "key_day", limits: { perMinute: 3, perDay: 20 } });
    expect(await redis.pttl("petstore:{key_day}")).toBeWithin(DAY + MARGIN - DELAY, DAY + MARGIN + 1);
  });

  test("a ban is remembered for a day after its end, so that the next one is longer", async () => {
    let now = Date.UTC(2026, 11, 2, 10);
    const limiter = new RedisLimiter(redis, () => now);
    const subject = { id: "key_ban", limits: { perMinute: 1, perDay: 10 } };
    for (let i = 0; i < 2; i++) await limiter.take(subject);
    now += 2_000;
    for (let i = 0; i < 100; i++) await limiter.take(subject);
    const { ban } = await limiter.status(subject);
    const remembered = (ban?.until ?? 0) * 1000 + DAY - now;
    expect(remembered).toBe(DAY + 300_000);
    expect(await redis.pttl("petstore:{key_ban}")).toBeWithin(remembered + MARGIN - DELAY, remembered + MARGIN + 1);
  });

  test("the day refuses when both windows are full and end together", async () => {
    let now = Date.UTC(2026, 11, 2, 10);
    const limiter = new RedisLimiter(redis, () => now);
    const take = async (id: string, perMinute: number) =>
      (await limiter.take({ id, limits: { perMinute, perDay: perMinute + 1 } })).outcome;
    expect(await take("key_tie", 1)).toBe("allowed");
    now += DAY - 60_000;
    expect(await take("key_tie", 1)).toBe("allowed");
    expect(await take("key_tie", 1)).toBe("quota_exceeded");
  });

  test.each([
    [0, 300],
    [-1, 900],
  ])("a ban that begins a day and %i ms after the last one's end takes %i s", async (beside, seconds) => {
    let now = Date.UTC(2026, 11, 2, 10);
    const limiter = new RedisLimiter(redis, () => now);
    const subject = { id: `key_next_${seconds}`, limits: { perMinute: 1, perDay: 1 } };
    /** Has the key banned by its requests at these moments. Returns the ban's end, in Unix ms. */
    const ban = async (refusedAt: number, struckAt: number) => {
      now = refusedAt;
      for (let i = 0; i < 2; i++) await limiter.take(subject);
      now = struckAt;
      for (let i = 0; i < 100; i++) await limiter.take(subject);
      return ((await limiter.status(subject)).ban?.until ?? 0) * 1000;
    };
    const next = (await ban(now, now + 2_000)) + DAY + beside;
    expect(await ban(next - 2_000, next)).toBe(Math.ceil(next / 1000) * 1000 + seconds * 1000);
  });

  test("a clock of Redis that was set is no reason to refuse a request, which counts once", async () => {
    const limiter = new RedisLimiter(redis);
    const { now } = performance;
    let [behind, left] = [0, 20];
    // Seen from there, the clock of Redis goes forth or back.
    const clock = spyOn(performance, "now").mockImplementation(() => now.call(performance) - behind);
    try {
      for (const step of [0, 10_000, 3_600_000, -3_600_000, -10_000, 2_000]) {
        behind += step;
        const { windows } = await limiter.take({ id: "key_step", limits: { perMinute: 20, perDay: 20 } });
        left -= 1;
        expect(windows.map(({ remaining }) => remaining)).toEqual([left, left]);
      }
    } finally {
      clock.mockRestore();
    }
  });

  test("windows begin anew when the clock was set back by more than five seconds", async () => {
    let now = Date.UTC(2026, 11, 2, 10);
    const limiter = new RedisLimiter(redis, () => now);
    const remaining = async () => {
      const { windows } = await limiter.take({ id: "key_back", limits: { perMinute: 5, perDay: 9 } });
      return windows.map((window) => window.remaining);
    };
    expect(await remaining()).toEqual([4, 8]);
    now -= 5_000;
    expect(await remaining()).toEqual([3, 7]);
    now -= 1;
    expect(await remaining()).toEqual([4, 8]);
  });
});

test("a key of a cluster is on the primary of its slot", () => {
  // Redis Cluster Specification, Appendix A; slots are the CRC modulo 16,384.
  expect(slotOf("123456789")).toBe(0x31c3);
  const connection = connectionTo("redis+cluster://127.0.0.1:1");
  connection.disconnect();
  if (!(connection instanceof Cluster)) return expect.unreachable();
  connection.slots = [];
  connection.slots[slotOf("key_1")] = ["primary:1", "replica:2"];
  const limiter = new RedisLimiter(connection);
  expect([limiter.shardOf("key_1"), limiter.shardOf("key_2")]).toEqual(["primary:1", ""]);
});
