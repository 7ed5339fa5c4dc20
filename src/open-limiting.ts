import type { Clock } from "./clock.ts";
import type { Config } from "./config.ts";
import type { Counters } from "./keys/counters.ts";
import type { Limiting, Usages } from "./limiting.ts";
import type { Log } from "./log.ts";
import { MemoryLimiter } from "./memory/limiter.ts";

/** Counts in Redis when REDIS_URL names one, otherwise in this process. */
export async function openLimiting(config: Config, counters: Counters, clock: Clock, log: Log): Promise<Limiting> {
  if (config.redisUrl !== undefined) {
    const { openOnRedis } = await import("./limiting-on-redis.ts");
    return openOnRedis(config.redisUrl, config.nodes, clock, log);
  }
  const limiter = new MemoryLimiter(clock, await counters.load());
  return {
    limiter,
    drain: () => limiter.drain(),
    undrain: (ids) => limiter.undrain(ids),
    sweep: () => limiter.sweep(),
    standing: (key) => limiter.standing(key),
    check: undefined,
    close: () => {},
  };
}

/** What the commands show of keys' use. @throws when Redis is to be asked and does not answer */
export async function openUsages({ redisUrl }: Config, counters: Counters): Promise<Usages> {
  if (redisUrl === undefined) return { of: (keyId) => counters.usageOf(keyId), close: () => {} };
  return (await import("./limiting-on-redis.ts")).openUsagesOnRedis(redisUrl);
}
