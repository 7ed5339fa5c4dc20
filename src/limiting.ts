import type { Awaitable } from "./awaitable.ts";
import type { Clock } from "./clock.ts";
import type { Config } from "./config.ts";
import type { Counters } from "./limits/counters.ts";
import type { Limiter } from "./limits/limiter.ts";
import type { Usage } from "./limits/usage.ts";
import type { Log } from "./log.ts";
import { FallbackLimiter } from "./memory/fallback-limiter.ts";
import { MemoryLimiter } from "./memory/limiter.ts";
import { connectionTo } from "./redis/connect.ts";
import { RedisLimiter } from "./redis/limiter.ts";

/** The limits of keys, wherever they are counted. */
export type Limiting = {
  limiter: Limiter;
  /** What is to be written down so that a restart does not forget it; see `MemoryLimiter`. */
  drain(): Map<string, Usage | undefined>;
  undrain(ids: Iterable<string>): void;
  sweep(): void;
  close(): void;
};

/** Counts in Redis when REDIS_URL names one, otherwise in this process. */
export async function openLimiting(config: Config, counters: Counters, clock: Clock, log: Log): Promise<Limiting> {
  if (config.redisUrl !== undefined) return openShared(config.redisUrl, config.nodes, clock, log);
  const limiter = new MemoryLimiter(clock, await counters.load());
  return {
    limiter,
    drain: () => limiter.drain(),
    undrain: (ids) => limiter.undrain(ids),
    sweep: () => limiter.sweep(),
    close: () => {},
  };
}

async function openShared(url: string, nodes: number, clock: Clock, log: Log): Promise<Limiting> {
  const redis = connectionTo(url);
  // Every attempt to connect tells of its failure; what matters is told by the limiter, once.
  redis.on("error", (error) => log.debug({ err: error }, "Redis"));
  const local = new MemoryLimiter(clock);
  const limiter = new FallbackLimiter({
    shared: new RedisLimiter(redis),
    local,
    nodes,
    probe: () => redis.ping(),
    onFailure: (error) =>
      log.error({ err: error, nodes }, "Redis does not answer: this node counts limits alone, for its share"),
    onReturn: (requests, milliseconds) =>
      log.info({ requests, milliseconds }, "Redis answers again: limits are counted for all nodes together"),
  });
  await redis.connect().catch((error) => limiter.startAlone(error));
  return {
    limiter,
    // Redis keeps what is counted there, and a node's own counts are of no use to the next process.
    drain: () => new Map(),
    undrain: () => {},
    sweep: () => local.sweep(),
    close: () => {
      limiter.close();
      redis.disconnect();
    },
  };
}

/** What is known of keys' use, wherever it is counted. */
export type Usages = { of(keyId: string): Awaitable<Usage | undefined>; close(): void };

/** What the commands show of keys' use. @throws when Redis is to be asked and does not answer */
export async function openUsages({ redisUrl }: Config, counters: Counters): Promise<Usages> {
  if (redisUrl === undefined) return { of: (keyId) => counters.usageOf(keyId), close: () => {} };
  const redis = connectionTo(redisUrl);
  redis.on("error", () => {});
  await redis.connect();
  const limiter = new RedisLimiter(redis);
  return { of: (keyId) => limiter.usageOf(keyId), close: () => redis.disconnect() };
}
