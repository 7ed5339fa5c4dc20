import { createHistogram } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import type { Redis } from "ioredis";
import { connectionTo, type RedisConnection } from "../src/adapters/redis/connect.ts";
import { RedisLimiter } from "../src/adapters/redis/limiter.ts";
import type { SeenState } from "../src/domain/limits/fallback-counts.ts";

/** A Redis server without a cluster, and the duration of each part in seconds. The warm-up comes first and does not count. */
export type Decisions = { url: string; warmUp: number; seconds: number };
/** Percentiles in milliseconds, and the number of decisions. */
export type Durations = { p50: number; p99: number; count: number };
/** What a decision takes of Redis: processor time in µs, and bytes of the append-only file. */
export type Effort = { processor: number; bytes: number };

const limits = { perMinute: 1_000_000_000, perDay: 1_000_000_000 };
/** As many nodes, each with one connection, and a request at a time on it: the most that Redis has to do for a request. */
const NODES = 50;
const KEYS = 10_000;

async function connected(url: string): Promise<RedisConnection> {
  const redis = connectionTo(url);
  await redis.connect();
  return redis;
}

/** Makes decisions one after the other with the service's limiter. @throws when Redis does not respond */
async function decideOneByOne({ url, warmUp, seconds }: Decisions): Promise<Durations> {
  const redis = await connected(url);
  const limiter = new RedisLimiter(redis);
  const durations = createHistogram();
  const begin = performance.now() + warmUp * 1000;
  const end = begin + seconds * 1000;
  for (let asked = performance.now(); asked < end; ) {
    const { outcome } = await limiter.take({ id: "benchmark", limits });
    const answered = performance.now();
    if (outcome !== "allowed") throw new Error(`a decision was ${outcome}`);
    // A histogram counts whole numbers from 1: here nanoseconds.
    if (asked >= begin) durations.record(Math.max(1, Math.round((answered - asked) * 1e6)));
    asked = answered;
  }
  redis.disconnect();
  return { p50: durations.percentile(50) / 1e6, p99: durations.percentile(99) / 1e6, count: durations.count };
}

/** Makes decisions for many nodes and keys at once, with an append-only file, as a service does that has seen each key. */
async function decideForNodes({ url, warmUp, seconds }: Decisions): Promise<Effort> {
  const redis = (await connected(url)) as Redis;
  await redis.config("SET", "auto-aof-rewrite-percentage", "0");
  await redis.config("SET", "appendonly", "yes");
  while ((await figures(redis)).isRewriting) await pause(50);
  const nodes = await Promise.all(Array.from({ length: NODES }, () => connected(url)));
  let decisions = 0;
  let isOver = false;
  const decide = async (limiter: RedisLimiter) => {
    const seen = new Map<string, SeenState>();
    while (!isOver) {
      const id = `key_${Math.floor(Math.random() * KEYS)}`.padEnd(20, "x");
      const { windows } = await limiter.take({ id, limits }, 1, seen.get(id));
      const [minute, day] = windows.map(({ limit, remaining, resetAt }) => ({ count: limit - remaining, resetAt }));
      if (minute !== undefined && day !== undefined) seen.set(id, { minute, day });
      decisions += 1;
    }
  };
  const work = Promise.all(nodes.map((node) => decide(new RedisLimiter(node))));
  await pause(warmUp * 1000);
  const [before, first] = [await figures(redis), decisions];
  await pause(seconds * 1000);
  const [after, last] = [await figures(redis), decisions];
  isOver = true;
  await work;
  for (const connection of [redis, ...nodes]) connection.disconnect();
  const of = (name: "processor" | "bytes") => (after[name] - before[name]) / (last - first);
  return { processor: of("processor"), bytes: of("bytes") };
}

/** What Redis says of itself: its processor time in µs, the size of its append-only file, and whether it writes that anew. */
async function figures(redis: Redis) {
  const text = await redis.info();
  const value = (name: string) => Number(new RegExp(`^${name}:(\\S+)`, "m").exec(text)?.[1]);
  const seconds = value("used_cpu_user") + value("used_cpu_sys");
  const isRewriting = value("aof_enabled") === 0 || value("aof_rewrite_in_progress") === 1;
  return { processor: seconds * 1e6, bytes: value("aof_current_size"), isRewriting };
}

const decisions: Decisions = JSON.parse(process.argv[2] ?? "");
console.log(JSON.stringify({ ...(await decideOneByOne(decisions)), ...(await decideForNodes(decisions)) }));
