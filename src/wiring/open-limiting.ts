import { MemoryLimiter } from "../adapters/memory/limiter.ts";
import type { Clock } from "../domain/clock.ts";
import type { Instrumentation } from "../domain/instrumentation.ts";
import type { Counters } from "../domain/keys/counters.ts";
import type { Config } from "./config.ts";
import type { Limiting, LimitStates } from "./limiting.ts";
import type { Log } from "./log.ts";

/** Counts limits in Redis if `redisUrl` is set, in the parent process if there is the socket of its limiter, otherwise here. */
export async function openLimiting(
  { redisUrl, nodes, limiterSocket }: Pick<Config, "redisUrl" | "nodes"> & { limiterSocket?: string | undefined },
  counters: Counters,
  clock: Clock,
  log: Log,
  instrumentations: Instrumentation[] = [],
): Promise<Limiting> {
  if (redisUrl !== undefined) {
    const { openRedisLimiting } = await import("./redis-limiting.ts");
    return openRedisLimiting(redisUrl, nodes, clock, log, instrumentations);
  }
  if (limiterSocket !== undefined) {
    const { openParentLimiting } = await import("./parent-limiting.ts");
    return openParentLimiting(limiterSocket, nodes, clock, log);
  }
  const limiter = new MemoryLimiter(clock, await counters.load());
  return {
    limiter,
    local: limiter,
    fallbacks: { total: 0, isActive: false },
    drain: () => limiter.drain(),
    requeue: (ids) => limiter.requeue(ids),
    sweep: () => limiter.sweep(),
    status: (key) => limiter.status(key),
    check: undefined,
    now: undefined,
    close: () => {},
  };
}

/** Opens the limit states for commands. @throws StartupError when the Redis of `redisUrl` does not answer */
export async function openLimitStates(redisUrl: string | undefined, counters: Counters): Promise<LimitStates> {
  if (redisUrl === undefined) return { of: (keyId) => counters.limitStateOf(keyId), close: () => {} };
  return (await import("./redis-limiting.ts")).openRedisLimitStates(redisUrl);
}
