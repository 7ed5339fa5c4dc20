import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { FallbackLimiter } from "../adapters/memory/fallback-limiter.ts";
import { MemoryLimiter } from "../adapters/memory/limiter.ts";
import type { RedisConnection } from "../adapters/redis/connect.ts";
import type { SharingLimiter } from "../adapters/socket/shared-counts.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import { StartupError } from "../domain/errors.ts";
import type { Instrumentation } from "../domain/instrumentation.ts";
import type { Counters } from "../domain/keys/store.ts";
import { FallbackCounts } from "../domain/limits/fallback-counts.ts";
import type { LimitBackend, SharedLimiter } from "../domain/limits/limiter.ts";
import type { LimitState } from "../domain/limits/limits.ts";
import type { Clock } from "../domain/time.ts";
import { instrumented, instrumenter } from "./instrumentation.ts";
import type { Log } from "./log.ts";

/** How long Redis, and the parent process of workers, may be silent while requests wait, in ms. */
const REDIS_PATIENCE = 250;
const PARENT_PATIENCE = 1_000;

/** Maps a file into memory that processes share. Undefined if the runtime cannot. @throws when the file cannot be mapped */
type MapFile = ((path: string) => Uint8Array) | undefined;

type LimitOptions = {
  /** The Redis that counts for all nodes. */
  redisUrl: string | undefined;
  /** In a worker: the path of the socket where its parent counts. */
  limiterSocket: string | undefined;
  nodes: number;
  counters: Pick<Counters, "load">;
  mapFile: MapFile;
  clock: Clock;
  log: Log;
  instrumentations: Instrumentation[];
};

/** Counts limits in Redis if `redisUrl` is set, with the parent process if there is one that counts, otherwise here. */
export async function openLimits(options: LimitOptions): Promise<LimitBackend> {
  const { redisUrl, limiterSocket, counters, clock } = options;
  if (redisUrl !== undefined) return openRedisLimits(redisUrl, options);
  if (limiterSocket !== undefined) return openParentLimits(limiterSocket, options);
  return new MemoryLimiter(clock, await counters.load());
}

/** Counts limits in Redis for all nodes, and in this process while Redis fails. */
async function openRedisLimits(url: string, options: LimitOptions): Promise<LimitBackend> {
  const [{ connect, connectionTo }, { RedisLimiter }] = await loadRedis();
  const redis = connectionTo(url);
  reportErrors(redis, options.log);
  const shared = new RedisLimiter(redis);
  const instrument = instrumenter("redis", options.instrumentations);
  const observed = instrumented(shared, "limiter", ["take", "status"], instrument);
  const limits = withFallback({ name: "Redis", shared, observed, patience: REDIS_PATIENCE }, options);
  await connect(redis).catch((error) => limits.startLocally(error));
  return limits;
}

/**
 * Counts limits for all workers together: in memory that they share, if there is any, and in the parent process, which is
 * asked for what changes more than counts. This process counts alone while the parent does not answer.
 */
async function openParentLimits(path: string, options: LimitOptions): Promise<LimitBackend> {
  const [{ SocketLimiter }, { KnownCounts, SharedCounts }] = await loadSocket();
  const { mapFile, clock } = options;
  const file = countsFileOf(path);
  const counts = mapFile && existsSync(file) ? new KnownCounts(clock, new SharedCounts(mapFile(file))) : undefined;
  const shared = new SocketLimiter(path, counts);
  return withFallback({ name: "The parent process", shared, observed: shared, patience: PARENT_PATIENCE }, options);
}

/** The errors of a server that does not accept the credentials, or asks for some. */
const REFUSED = /^(WRONGPASS|NOAUTH|NOPERM|ERR invalid password)/;

/**
 * Logs what each attempt to connect fails with. The limiter logs the first request that fails, which only finds no connection:
 * that Redis refuses the credentials is logged once, until it accepts them.
 */
function reportErrors(redis: RedisConnection, log: Log): void {
  let isReported = false;
  redis.on("ready", () => {
    isReported = false;
  });
  redis.on("error", (error: Error & { lastNodeError?: Error }) => {
    log.debug({ err: error }, "Redis");
    // A cluster has an error of its own, when each of its nodes has failed.
    const cause = error.lastNodeError ?? error;
    if (isReported || !REFUSED.test(cause.message)) return;
    isReported = true;
    log.error({ err: cause }, "Redis refuses the credentials in REDIS_URL: set those that it accepts, and restart");
  });
}

/** `name`: for the log. */
type Shared = { name: string; shared: SharedLimiter; observed: SharedLimiter; patience: number };

/** Counts with something else for several processes, and in this process alone while that fails. */
function withFallback({ name, ...shared }: Shared, { nodes, clock, log }: LimitOptions): FallbackLimiter {
  const of = (shard: string) => (shard === "" ? {} : { shard });
  return new FallbackLimiter({
    ...shared,
    counts: new FallbackCounts({ process: randomUUID(), nodes }),
    clock,
    onFailure: (err, shard) => log.error({ err, nodes, ...of(shard) }, `${name} fails: this node counts limits alone`),
    onReturn: (requests, milliseconds, shard) =>
      log.info(
        { requests, milliseconds, ...of(shard) },
        `${name} works again: limits are counted for all nodes together, with what this node counted alone`,
      ),
    onKeyFailure: (err, keyId) =>
      log.error({ err, keyId, nodes }, `${name} fails for one key: this node counts its limits alone`),
  });
}

/** Loaded only with Redis, and only with workers: it takes time and memory. */
function loadRedis() {
  return Promise.all([import("../adapters/redis/connect.ts"), import("../adapters/redis/limiter.ts")]);
}

function loadSocket() {
  return Promise.all([import("../adapters/socket/limiter.ts"), import("../adapters/socket/shared-counts.ts")]);
}

type SharingOptions = Pick<LimitOptions, "mapFile" | "clock" | "log">;

/** The limits for a process that is the parent of workers, and the path of the socket where they ask; without with Redis. */
type ServedLimits = { limits: LimitBackend; limiterSocket: string | undefined };

/**
 * Counts limits for workers too, unless Redis does. `stack` closes what it opens, but for `local`.
 * @throws StartupError when there can be no socket
 */
export async function serveLimits(
  local: LimitBackend,
  options: SharingOptions,
  stack: AsyncDisposableStack,
): Promise<ServedLimits> {
  if (!(local instanceof MemoryLimiter)) return { limits: local, limiterSocket: undefined };
  const [{ serveLimiter }] = await loadSocket();
  // In a new directory that only this user can enter.
  const path = join(await mkdtemp(join(tmpdir(), "petstore-")).catch(cannotHaveSocket), "limits");
  stack.defer(() => removeLimiterSocket(path));
  const limits = (await openSharing(local, countsFileOf(path), options)) ?? local;
  stack.use(await serveLimiter(limits, path).catch(cannotHaveSocket));
  return { limits, limiterSocket: path };
}

/** Returns undefined if memory cannot be shared: then workers ask for each request. */
async function openSharing(
  local: MemoryLimiter,
  file: string,
  { mapFile, clock, log }: SharingOptions,
): Promise<SharingLimiter | undefined> {
  if (mapFile === undefined) return undefined;
  const [, { SHARED_BYTES, SharedCounts, SharingLimiter }] = await loadSocket();
  try {
    // Written in full: a process that used a page for which the disk has no space would end.
    await writeFile(file, new Uint8Array(SHARED_BYTES), { mode: 0o600 });
    return new SharingLimiter(clock, local, new SharedCounts(mapFile(file)));
  } catch (err) {
    await rm(file, { force: true });
    log.warn({ err }, "workers cannot share memory: they ask their parent for each request");
    return undefined;
  }
}

/** @throws StartupError which names the setting */
function cannotHaveSocket({ message }: Error): never {
  throw new StartupError(
    `The workers cannot have a socket in ${tmpdir()}. Set TMPDIR to a directory that is writable and whose path is short. Reason: ${message}`,
  );
}

/** The path of the file beside a socket whose memory workers share. */
function countsFileOf(path: string): string {
  return `${path}.counts`;
}

/** Removes the socket with its directory: the parent does when it stops, and its workers do when it was killed. */
export function removeLimiterSocket(path: string): Promise<void> {
  return rm(dirname(path), { recursive: true, force: true });
}

/** Reads the limit states of keys, from Redis or the database. "unknown" while Redis does not answer. */
export type LimitStateReader = {
  of(keyId: string): Awaitable<LimitState | undefined | "unknown">;
  close(): Awaitable<void>;
};

/**
 * The limit states for commands. A connection to the Redis of `redisUrl` is opened only when the first is read: most commands
 * read none. `onFailure` is called once if it does not answer.
 */
export function limitStatesIn(
  redisUrl: string | undefined,
  counters: Counters,
  onFailure: (error: Error) => void,
): LimitStateReader {
  if (redisUrl === undefined) return { of: (keyId) => counters.limitStateOf(keyId), close: () => {} };
  let opening: ReturnType<typeof openRedisLimitStates> | undefined;
  let hasFailed = false;
  const fail = (error: Error): "unknown" => {
    if (!hasFailed) onFailure(error);
    hasFailed = true;
    return "unknown";
  };
  const read = async (keyId: string) => {
    opening ??= openRedisLimitStates(redisUrl);
    return (await opening).of(keyId);
  };
  return {
    of: (keyId) => read(keyId).catch(fail),
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
}

/** Opens the limit states in Redis. @throws an error of ioredis when it does not answer */
async function openRedisLimitStates(url: string) {
  const [{ connect, connectionTo }, { RedisLimiter }] = await loadRedis();
  await using stack = new AsyncDisposableStack();
  const redis = stack.adopt(connectionTo(url), (connection) => connection.disconnect());
  redis.on("error", () => {});
  await connect(redis);
  stack.move();
  const limiter = new RedisLimiter(redis);
  return {
    async of(keyId: string): Promise<LimitState | undefined> {
      try {
        return await limiter.limitStateOf(keyId);
      } catch (error) {
        // The next look-ups fail at once, instead of after a time-out each.
        if (!limiter.isReply(error)) limiter.close();
        throw error;
      }
    },
    close: () => limiter.close(),
  };
}
