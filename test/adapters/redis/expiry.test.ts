import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Connection, connectionTo } from "../../../src/adapters/redis/connect.ts";
import { RedisLimiter } from "../../../src/adapters/redis/limiter.ts";
import { hasRedis, type RedisServer, startRedis } from "../../support/redis.ts";

const DAY = 86_400_000;
/** Redis keeps state for so long after it has lost its effect, in ms. */
const MARGIN = 600_000;
/** How much later than the script a test may read the expiry, in ms. */
const DELAY = 60_000;

describe.skipIf(!hasRedis)("in Redis", () => {
  let server: RedisServer;
  let redis: Connection;
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
});
