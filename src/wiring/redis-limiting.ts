import { FallbackLimiter } from "../adapters/memory/fallback-limiter.ts";
import { MemoryLimiter } from "../adapters/memory/limiter.ts";
import { connectionTo } from "../adapters/redis/connect.ts";
import { RedisLimiter } from "../adapters/redis/limiter.ts";
import type { Clock } from "../domain/clock.ts";
import type { Instrumentation } from "../domain/instrumentation.ts";
import { StartupError } from "../domain/startup-error.ts";
import { instrumenter } from "./instrument.ts";
import type { Limiting, LimitStates } from "./limiting.ts";
import type { Log } from "./log.ts";

/** Counts for all nodes together, as long as Redis answers. */
export async function openRedisLimiting(
  url: string,
  nodes: number,
  clock: Clock,
  log: Log,
  instrumentations: Instrumentation[],
): Promise<Limiting> {
  const redis = connectionTo(url);
  // Every failed attempt to connect is an event; the limiter reports the first.
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
    probe: () => redis.ping(),
    onFailure: (error) => {
      fallbacks.total += 1;
      fallbacks.isActive = true;
      log.error({ err: error, nodes }, "Redis does not answer: this node counts limits alone, for its share");
    },
    onReturn: (requests, milliseconds) => {
      fallbacks.isActive = false;
      log.info({ requests, milliseconds }, "Redis answers again: limits are counted for all nodes together");
    },
  });
  await redis.connect().catch((error) => limiter.startLocally(error));
  return {
    limiter,
    fallbacks,
    // Redis keeps what is counted there, and a node's own counts are of no use to the next process.
    drain: () => new Map(),
    undrain: () => {},
    sweep: () => local.sweep(),
    status: (key) => shared.status(key),
    check: () => redis.ping(),
    close: () => {
      limiter.close();
      redis.disconnect();
    },
  };
}

/** @throws StartupError when Redis does not answer */
export async function openRedisLimitStates(url: string): Promise<LimitStates> {
  await using stack = new AsyncDisposableStack();
  const redis = stack.adopt(connectionTo(url), (connection) => connection.disconnect());
  redis.on("error", () => {});
  await redis.connect().catch((error) => {
    throw new StartupError(
      `The Redis that REDIS_URL names does not answer. Start it, or change REDIS_URL. Reason: ${error.message}`,
    );
  });
  stack.move();
  const limiter = new RedisLimiter(redis);
  return { of: (keyId) => limiter.limitStateOf(keyId), close: () => redis.disconnect() };
}
