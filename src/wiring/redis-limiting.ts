import { connect, connectionTo } from "../adapters/redis/connect.ts";
import { isReply, RedisLimiter } from "../adapters/redis/limiter.ts";
import type { Instrumentation } from "../domain/instrumentation.ts";
import type { Subject } from "../domain/limits/limits.ts";
import type { Clock } from "../domain/time.ts";
import { instrumenter } from "./instrumentation.ts";
import { type Limiting, sharedLimiting } from "./limiting.ts";
import type { Log } from "./log.ts";

/** How long Redis may be silent while requests wait, in ms. */
const PATIENCE = 35;

/** Counts limits in Redis for all nodes, and in this process while Redis fails. */
export async function openRedisLimiting(
  url: string,
  nodes: number,
  clock: Clock,
  log: Log,
  instrumentations: Instrumentation[],
): Promise<Limiting> {
  const redis = connectionTo(url);
  // Each failed attempt to connect emits an event; the limiter logs the first failure.
  redis.on("error", (error) => log.debug({ err: error }, "Redis"));
  const shared = new RedisLimiter(redis);
  const instrument = instrumenter("redis", instrumentations);
  const observed = {
    take: instrument("limiter.take", (subject: Subject) => shared.take(subject)),
    status: instrument("limiter.status", (subject: Subject) => shared.status(subject)),
  };
  const { limiting, startLocally } = sharedLimiting({
    name: "Redis",
    patience: PATIENCE,
    ...{ observed, shared, isReply, nodes, clock, log },
  });
  await connect(redis).catch(startLocally);
  return {
    ...limiting,
    check: () => shared.probe(),
    now: () => shared.now(),
    close: () => {
      limiting.close();
      redis.disconnect();
    },
  };
}

/** Opens the limit states in Redis. @throws an error of ioredis when it does not answer */
export async function openRedisLimitStates(url: string): Promise<{ of: RedisLimiter["limitStateOf"]; close(): void }> {
  await using stack = new AsyncDisposableStack();
  const redis = stack.adopt(connectionTo(url), (connection) => connection.disconnect());
  redis.on("error", () => {});
  await connect(redis);
  stack.move();
  const limiter = new RedisLimiter(redis);
  return {
    async of(keyId) {
      try {
        return await limiter.limitStateOf(keyId);
      } catch (error) {
        // The next look-ups fail at once, instead of after a time-out each.
        if (!isReply(error)) redis.disconnect();
        throw error;
      }
    },
    close: () => redis.disconnect(),
  };
}
