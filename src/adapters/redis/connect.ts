import { setTimeout as pause } from "node:timers/promises";
import { Cluster, Redis, type RedisOptions } from "ioredis";
import { READ_LIMIT_STATE, TAKE } from "./script.ts";

/** The reply of the script TAKE: outcome, now, minute count and end, day count and end, end of the ban, 1 if it begins, 1 after a loss. */
export type TakeReply = [string, number, number, number, number, number, number, 0 | 1, 0 | 1];

type TakeArguments = [
  perMinute: number,
  perDay: number,
  pardonedAt: number,
  now: number | "",
  cost: number | "",
  deadline: number | "",
  seen: string,
  handover: string,
];

/** A connection to Redis or a Redis cluster with the scripts of this module. */
export type RedisConnection = (Redis | Cluster) & {
  take(key: string, ...args: TakeArguments): Promise<TakeReply>;
  /** Returns now (Unix ms), then the names and values of the hash. */
  readLimitState(key: string, now: number | ""): Promise<[now: number, ...fields: string[]]>;
};

/** In ms. RETRY_INTERVAL is the pause between attempts to connect. */
const CONNECT_TIMEOUT = 1_000;
export const COMMAND_TIMEOUT = 1_000;
const RETRY_INTERVAL = 250;
const CLOSE_TIMEOUT = 250;
/** How long `connect` waits, in ms: for a connection, and for an answer on it. */
const PATIENCE = CONNECT_TIMEOUT + COMMAND_TIMEOUT;

const options = {
  lazyConnect: true,
  // Pipelined commands are answered together, so a burst of them would look like a failure.
  enableAutoPipelining: false,
  connectTimeout: CONNECT_TIMEOUT,
  commandTimeout: COMMAND_TIMEOUT,
  // Its timer keeps a command from ending, also after a connection that failed.
  disconnectTimeout: CLOSE_TIMEOUT,
  // A command that cannot be sent now is useless later: its request was answered without it.
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  // After a failover the connection may still lead to the former primary: a new one finds the new primary.
  reconnectOnError: ({ message }) => message.includes("READONLY"),
  retryStrategy: () => RETRY_INTERVAL,
  scripts: { take: { lua: TAKE, numberOfKeys: 1 }, readLimitState: { lua: READ_LIMIT_STATE, numberOfKeys: 1 } },
} satisfies RedisOptions;

/** What Sentinel needs besides, by whose answers a connection finds the primary. */
const sentinelOptions = {
  sentinelCommandTimeout: COMMAND_TIMEOUT,
  sentinelRetryStrategy: () => RETRY_INTERVAL,
} satisfies RedisOptions;

const FORM = /^(rediss?)(\+cluster|\+sentinel)?:\/\/(?:([^@]*)@)?([^/]+)(?:\/(.*))?$/;

/**
 * Creates a connection, not yet connected, from `redis://` or `rediss://` (TLS), `redis+cluster://a:6379,b:6379`, or
 * `redis+sentinel://a:26379,b:26379/name`. It reconnects automatically until it is closed.
 */
export function connectionTo(url: string): RedisConnection {
  const [, scheme = "", kind, credentials, authority = "", path] = FORM.exec(url) ?? [];
  if (kind === undefined) return new Redis(url, options) as RedisConnection;
  const [username, password] = (credentials ?? "").split(":").map(decodeURIComponent);
  const tls = scheme === "rediss" ? { tls: {} } : {};
  const login = { ...(username && { username }), ...(password && { password }) };
  const nodes = authority.split(",").map((text) => ({ host: hostOf(text), port: portOf(text, kind) }));
  if (kind === "+sentinel")
    return new Redis({
      ...options,
      ...sentinelOptions,
      ...tls,
      ...login,
      sentinels: nodes,
      name: path ?? "",
    }) as RedisConnection;
  const { scripts, lazyConnect, enableOfflineQueue, retryStrategy, ...redisOptions } = options;
  const cluster = { scripts, lazyConnect, enableOfflineQueue, clusterRetryStrategy: retryStrategy };
  return new Cluster(nodes, { ...cluster, redisOptions: { ...redisOptions, ...tls, ...login } }) as RedisConnection;
}

/**
 * Connects for the first time. The connection tries on after a failure, until it is closed.
 * @throws its last error when it fails, or is not ready within two seconds
 */
export async function connect(connection: RedisConnection): Promise<void> {
  let cause: Error | undefined;
  const keep = (error: Error) => {
    cause = error;
  };
  connection.on("error", keep);
  // ioredis tries all Sentinels again and again before it gives a result.
  const silence = pause(PATIENCE, undefined, { ref: false }).then(() => {
    throw new Error(`no answer for ${PATIENCE} ms`);
  });
  try {
    await Promise.race([connection.connect(), silence]);
  } catch (error) {
    throw cause ?? error;
  } finally {
    connection.off("error", keep);
  }
}

function hostOf(text: string): string {
  return text.replace(/:\d+$/, "").replace(/^\[|\]$/g, "");
}

function portOf(text: string, kind: string): number {
  return Number(/:(\d+)$/.exec(text)?.[1] ?? (kind === "+sentinel" ? 26_379 : 6_379));
}
