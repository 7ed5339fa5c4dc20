import { createHistogram } from "node:perf_hooks";
import { connectionTo } from "../src/adapters/redis/connect.ts";
import { RedisLimiter } from "../src/adapters/redis/limiter.ts";

/** A Redis server, and the duration in seconds. The warm-up comes first and does not count. */
export type Decisions = { url: string; warmUp: number; seconds: number };
/** Percentiles in milliseconds, and the number of decisions. */
export type Durations = { p50: number; p99: number; count: number };

const SUBJECT = { id: "benchmark", limits: { perMinute: 1_000_000_000, perDay: 1_000_000_000 } };

/** Makes decisions one after the other with the service's limiter. @throws when Redis does not respond */
async function decide({ url, warmUp, seconds }: Decisions): Promise<Durations> {
  const redis = connectionTo(url);
  await redis.connect();
  const limiter = new RedisLimiter(redis);
  const durations = createHistogram();
  const begin = performance.now() + warmUp * 1000;
  const end = begin + seconds * 1000;
  for (let asked = performance.now(); asked < end; ) {
    const { outcome } = await limiter.take(SUBJECT);
    const answered = performance.now();
    if (outcome !== "allowed") throw new Error(`a decision was ${outcome}`);
    // A histogram counts whole numbers from 1: here nanoseconds.
    if (asked >= begin) durations.record(Math.max(1, Math.round((answered - asked) * 1e6)));
    asked = answered;
  }
  redis.disconnect();
  return { p50: durations.percentile(50) / 1e6, p99: durations.percentile(99) / 1e6, count: durations.count };
}

console.log(JSON.stringify(await decide(JSON.parse(process.argv[2] ?? ""))));
