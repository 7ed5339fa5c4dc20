import { Cluster, Redis, type RedisOptions } from "ioredis";
import { STANDING, TAKE } from "./script.ts";

/** What the script gives: outcome, now, the minute's count and end, the day's count and end, the ban's end, 1 where it begins. */
export type Taken = [string, number, number, number, number, number, number, 0 | 1];

/** A connection to Redis, or to a cluster of it, that knows our script. */
export type Connection = (Redis | Cluster) & {
  take(key: string, perMinute: number, perDay: number, pardonedAt: number, now: number | ""): Promise<Taken>;
  /** Gives now (Unix ms), then the names and the values of the hash. */
  standing(key: string, now: number | ""): Promise<[now: number, ...fields: string[]]>;
};

/** How long connecting, and any command, may take before its promise fails, and the pause between attempts, in ms. */
const CONNECT_PATIENCE = 1_000;
const COMMAND_PATIENCE = 1_000;
const RETRY_EVERY = 250;

const options = {
  lazyConnect: true,
  // Each command by itself: pipelined ones are answered when the last is, and a crowd of them looks like a failure.
  enableAutoPipelining: false,
  connectTimeout: CONNECT_PATIENCE,
  commandTimeout: COMMAND_PATIENCE,
  // A command that cannot be sent now is not worth sending later: its request was answered without it.
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  retryStrategy: () => RETRY_EVERY,
  scripts: { take: { lua: TAKE, numberOfKeys: 1 }, standing: { lua: STANDING, numberOfKeys: 1 } },
} satisfies RedisOptions;

const FORM = /^(rediss?)(\+cluster|\+sentinel)?:\/\/(?:([^@]*)@)?([^/]+)(?:\/(.*))?$/;

/**
 * A connection that is yet to be made, for `redis://` or `rediss://` (TLS), `redis+cluster://a:6379,b:6379`, or
 * `redis+sentinel://a:26379,b:26379/name`. It reconnects by itself for as long as it lives.
 */
export function connectionTo(url: string): Connection {
  const [, scheme = "", kind, credentials, authority = "", path] = FORM.exec(url) ?? [];
  if (kind === undefined) return new Redis(url, options) as Connection;
  const [username, password] = (credentials ?? "").split(":").map(decodeURIComponent);
  const tls = scheme === "rediss" ? { tls: {} } : {};
  const login = { ...(username && { username }), ...(password && { password }) };
  const nodes = authority.split(",").map((text) => ({ host: hostOf(text), port: portOf(text, kind) }));
  if (kind === "+sentinel")
    return new Redis({ ...options, ...tls, ...login, sentinels: nodes, name: path ?? "" }) as Connection;
  const { scripts, lazyConnect, enableOfflineQueue, retryStrategy, ...redisOptions } = options;
  const cluster = { scripts, lazyConnect, enableOfflineQueue, clusterRetryStrategy: retryStrategy };
  return new Cluster(nodes, { ...cluster, redisOptions: { ...redisOptions, ...tls, ...login } }) as Connection;
}

function hostOf(text: string): string {
  return text.replace(/:\d+$/, "").replace(/^\[|\]$/g, "");
}

function portOf(text: string, kind: string): number {
  return Number(/:(\d+)$/.exec(text)?.[1] ?? (kind === "+sentinel" ? 26_379 : 6_379));
}
