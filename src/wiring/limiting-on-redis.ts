import { FallbackLimiter } from "../adapters/memory/fallback-limiter.ts";
import { MemoryLimiter } from "../adapters/memory/limiter.ts";
import { connectionTo } from "../adapters/redis/connect.ts";
import { RedisLimiter } from "../adapters/redis/limiter.ts";
import type { Clock } from "../domain/clock.ts";
import type { Instrumentation } from "../domain/instrumentation.ts";
import { instrumenter } from "./instrument.ts";
import type { Limiting, LimitStates } from "./limiting.ts";
import type { Log } from "./log.ts";

/** Counts for all nodes together, as long as Redis answers. */
export async function openOnRedis(
  url: string,
  nodes: number,
  clock: Clock,
  log: Log,
  watches: Instrumentation[] = [],
): Promise<Limiting> {
  const redis = connectionTo(url);
  // Every attempt to connect tells of its failure; what matters is told by the limiter, once.
  redis.on("error", (error) => log.debug({ err: error }, "Redis"));
  const local = new MemoryLimiter(clock);
  const fallbacks = { total: 0, isActive: false };
  const shared = new RedisLimiter(redis);
  const instrument = instrumenter("redis", watches);
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
    standing: (key) => shared.status(key),
    check: () => redis.ping(),
    close: () => {
      limiter.close();
      redis.disconnect();
    },
  };
}

/** @throws when Redis does not answer */
export async function openLimitStatesOnRedis(url: string): Promise<LimitStates> {
  const redis = connectionTo(url);
  redis.on("error", () => {});
  await redis.connect();
  const limiter = new RedisLimiter(redis);
  return { of: (keyId) => limiter.limitStateOf(keyId), close: () => redis.disconnect() };
}
