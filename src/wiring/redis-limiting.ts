import { FallbackLimiter } from "../adapters/memory/fallback-limiter.ts";
import { MemoryLimiter } from "../adapters/memory/limiter.ts";
import { connectionTo } from "../adapters/redis/connect.ts";
import { isReply, RedisLimiter } from "../adapters/redis/limiter.ts";
import type { Clock } from "../domain/clock.ts";
import type { Instrumentation } from "../domain/instrumentation.ts";
import { StartupError } from "../domain/startup-error.ts";
import { instrumenter } from "./instrument.ts";
import type { Limiting, LimitStates } from "./limiting.ts";
import type { Log } from "./log.ts";

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
  const local = new MemoryLimiter(clock);
  const fallbacks = { total: 0, isActive: false };
  const shared = new RedisLimiter(redis);
  const instrument = instrumenter("redis", instrumentations);
  const limiter = new FallbackLimiter({
    shared: {
      take: instrument("limiter.take", (subject) => shared.take(subject)),
      status: instrument("limiter.status", (subject) => shared.status(subject)),
    },
    local,
    nodes,
    isReply,
    probe: (keyId) => shared.probe(keyId),
    onFailure: (error) => {
      fallbacks.total += 1;
      fallbacks.isActive = true;
      log.error({ err: error, nodes }, "Redis fails: this node counts limits alone, for its share");
    },
    onReturn: (requests, milliseconds) => {
      fallbacks.isActive = false;
      log.info({ requests, milliseconds }, "Redis works again: limits are counted for all nodes together");
    },
    onKeyFailure: (error, keyId) =>
      log.error(
        { err: error, keyId, nodes },
        "Redis fails for one key: this node counts its limits alone, for its share",
      ),
  });
  await redis.connect().catch((error) => limiter.startLocally(error));
  return {
    limiter,
    fallbacks,
    // Nothing to save: Redis keeps its counts, and counts of this process mean nothing to the next one.
    drain: () => new Map(),
    requeue: () => {},
    sweep: () => local.sweep(),
    status: (key) => shared.status(key),
    check: () => shared.probe(),
    now: () => shared.now(),
    close: () => {
      limiter.close();
      redis.disconnect();
    },
  };
}

/** Opens the limit states in Redis. @throws StartupError when it does not answer */
export async function openRedisLimitStates(url: string): Promise<LimitStates> {
  await using stack = new AsyncDisposableStack();
  const redis = stack.adopt(connectionTo(url), (connection) => connection.disconnect());
  redis.on("error", () => {});
  await redis.connect().catch((error) => {
    throw new StartupError(
      `The Redis server in REDIS_URL does not answer. Start it, or change REDIS_URL. Reason: ${error.message}`,
    );
  });
  stack.move();
  const limiter = new RedisLimiter(redis);
  return { of: (keyId) => limiter.limitStateOf(keyId), close: () => redis.disconnect() };
}
