import { afterAll, beforeAll, describe } from "bun:test";
import { connectionTo, type RedisConnection } from "../../../src/adapters/redis/connect.ts";
import { RedisLimiter } from "../../../src/adapters/redis/limiter.ts";
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
