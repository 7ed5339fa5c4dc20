import { randomUUID } from "node:crypto";
import { Cluster, type Redis, ReplyError } from "ioredis";
import type { RedisConnection } from "./connect.ts";

/** The policy that never evicts. All others do, also those for keys that expire: the counts of limits do. */
const KEEPS_ALL = "noeviction";

/** Expires about as late as the counts of a key, so that every policy for those concerns it. In ms. */
const SENTINEL_LIFETIME = 86_400_000;

/** Names that are tried to find one for each shard of a cluster: of a thousand shards nearly each has one. */
const MAX_NAMES = 20_000;

/** A key that nothing reads, so that it is among the first to be evicted. `setAt` is monotonic, in ms. */
type Sentinel = { key: string; setAt: number };

/**
 * Finds out whether Redis may evict keys that have not expired: by the policy that INFO names, or, where INFO is refused or
 * does not name it, as managed services may have it, by a sentinel key that is gone.
 */
export class EvictionCheck {
  readonly #redis: RedisConnection;
  readonly #shardOf: (id: string) => string;
  readonly #keyOf: (id: string) => string;
  readonly #process = randomUUID();
  /** By the connection to the server, until that ends: a server that was restarted may have lost all keys. */
  readonly #sentinels = new WeakMap<Redis, Sentinel>();
  readonly #observed = new WeakSet<Redis>();
  /** By the address of the server. */
  #reasons = new Map<string, string | undefined>();

  constructor(redis: RedisConnection, shardOf: (id: string) => string, keyOf: (id: string) => string) {
    this.#redis = redis;
    this.#shardOf = shardOf;
    this.#keyOf = keyOf;
  }

  /** The eviction policy of the first server that has one, or `observed`. */
  get reason(): string | undefined {
    return [...this.#reasons.values()].find((reason) => reason !== undefined);
  }

  async run(): Promise<void> {
    const servers = this.#redis instanceof Cluster ? this.#redis.nodes("master") : [this.#redis];
    // A cluster without a connection.
    if (servers.length === 0) return;
    const known = this.#reasons;
    const found = await Promise.all(
      servers.map(async (server): Promise<[string, string | undefined]> => {
        const address = addressOf(server);
        return [address, await this.#reasonOf(server, address).catch(() => known.get(address))];
      }),
    );
    this.#reasons = new Map(found);
  }

  /** @throws an error of ioredis when the server does not answer */
  async #reasonOf(server: Redis, address: string): Promise<string | undefined> {
    const policy = await policyOf(server);
    if (policy !== undefined) return policy === KEEPS_ALL ? undefined : policy;
    if (await this.#hasLostSentinel(server, address)) this.#observed.add(server);
    return this.#observed.has(server) ? "observed" : undefined;
  }

  async #hasLostSentinel(server: Redis, address: string): Promise<boolean> {
    const now = performance.now();
    const sentinel = this.#sentinels.get(server);
    const isFresh = sentinel !== undefined && now - sentinel.setAt < SENTINEL_LIFETIME / 2;
    // Unlike GET, EXISTS does not count as a use of the key.
    if (isFresh && (await this.#redis.exists(sentinel.key)) === 1) return false;
    const key = sentinel?.key ?? this.#sentinelKeyAt(address);
    if (key === undefined) return false;
    await this.#redis.set(key, "", "PX", SENTINEL_LIFETIME);
    if (sentinel === undefined) server.once("close", () => this.#forget(server));
    this.#sentinels.set(server, { key, setAt: now });
    return isFresh;
  }

  #forget(server: Redis): void {
    this.#sentinels.delete(server);
    this.#observed.delete(server);
  }

  /** A key of this process on the server; undefined if the server has no slots. */
  #sentinelKeyAt(address: string): string | undefined {
    const isThere = (id: string) => !(this.#redis instanceof Cluster) || this.#shardOf(id) === address;
    const name = firstName(isThere);
    return name === undefined ? undefined : `${this.#keyOf(name)}:${this.#process}`;
  }
}

/** The first name for which `holds` does; undefined if there is none among so many as are tried. */
export function firstName(holds: (name: string) => boolean): string | undefined {
  for (let i = 0; i < MAX_NAMES; i++) if (holds(`eviction-${i}`)) return `eviction-${i}`;
  return undefined;
}

function addressOf({ options }: Redis): string {
  return `${options.host}:${options.port}`;
}

/** The server's `maxmemory-policy`; undefined if it does not say. @throws an error of ioredis when it does not answer */
async function policyOf(server: Redis): Promise<string | undefined> {
  try {
    return /^maxmemory_policy:(\S+)/m.exec(await server.info("memory"))?.[1];
  } catch (error) {
    if (error instanceof ReplyError) return undefined;
    throw error;
  }
}
