import { MemoryLimiter } from "../adapters/memory/limiter.ts";
import type { Instrumentation } from "../domain/instrumentation.ts";
import type { Counters } from "../domain/keys/store.ts";
import type { Clock } from "../domain/time.ts";
import type { Config } from "./config.ts";
import type { Limiting, LimitStates } from "./limiting.ts";
import type { Log, Runtime } from "./log.ts";
import type { openRedisLimitStates } from "./redis-limiting.ts";
import type { WorkerOptions } from "./service-options.ts";

type Where = Pick<Config, "redisUrl" | "nodes"> & WorkerOptions & Partial<Pick<Runtime, "mapFile">>;

/** Counts limits in Redis if `redisUrl` is set, with the parent process if there is one that counts, otherwise here. */
export async function openLimiting(
  { redisUrl, nodes, limiterSocket, mapFile }: Where,
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
    const { openParentLimiting } = await import("./worker-limits.ts");
    return openParentLimiting({ path: limiterSocket, mapFile }, nodes, clock, log);
  }
  const limiter = new MemoryLimiter(clock, await counters.load());
  return {
    limiter,
    local: limiter,
    fallbacks: { total: 0, isActive: false },
    drain: () => limiter.drain(),
    requeue: (places) => limiter.requeue(places),
    sweep: () => limiter.sweep(),
    status: (key) => limiter.status(key),
    check: undefined,
    now: undefined,
    close: () => {},
  };
}

/**
 * The limit states for commands. A connection to the Redis of `redisUrl` is opened only when the first is read: most commands
 * read none. `onFailure` is called once if it does not answer.
 */
export function limitStatesIn(
  redisUrl: string | undefined,
  counters: Counters,
  onFailure: (error: Error) => void,
): LimitStates {
  if (redisUrl === undefined) return { of: (keyId) => counters.limitStateOf(keyId), close: () => {} };
  let opening: ReturnType<typeof openRedisLimitStates> | undefined;
  let hasFailed = false;
  const fail = (error: Error): "unknown" => {
    if (!hasFailed) onFailure(error);
    hasFailed = true;
    return "unknown";
  };
  const read = async (keyId: string) => {
    opening ??= import("./redis-limiting.ts").then(({ openRedisLimitStates }) => openRedisLimitStates(redisUrl));
    return (await opening).of(keyId);
  };
  return {
    of: (keyId) => read(keyId).catch(fail),
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
}
