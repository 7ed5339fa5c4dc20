import { MemoryLimiter } from "../adapters/memory/limiter.ts";
import type { Clock } from "../domain/clock.ts";
import type { Instrumentation } from "../domain/instrumentation.ts";
import type { Counters } from "../domain/keys/counters.ts";
import type { Config } from "./config.ts";
import type { Limiting, LimitStates } from "./limiting.ts";
import type { Log } from "./log.ts";

/** Counts in Redis when REDIS_URL names one, otherwise in this process. */
export async function openLimiting(
  config: Config,
  counters: Counters,
  clock: Clock,
  log: Log,
  watches: Instrumentation[] = [],
): Promise<Limiting> {
  if (config.redisUrl !== undefined) {
    const { openOnRedis } = await import("./limiting-on-redis.ts");
    return openOnRedis(config.redisUrl, config.nodes, clock, log, watches);
  }
  const limiter = new MemoryLimiter(clock, await counters.load());
  return {
    limiter,
    fallbacks: { total: 0, isActive: false },
    drain: () => limiter.drain(),
    undrain: (ids) => limiter.undrain(ids),
    sweep: () => limiter.sweep(),
    standing: (key) => limiter.status(key),
    check: undefined,
    close: () => {},
  };
}

/** What the commands show of keys' use. @throws when Redis is to be asked and does not answer */
export async function openLimitStates({ redisUrl }: Config, counters: Counters): Promise<LimitStates> {
  if (redisUrl === undefined) return { of: (keyId) => counters.limitStateOf(keyId), close: () => {} };
  return (await import("./limiting-on-redis.ts")).openLimitStatesOnRedis(redisUrl);
}
