import pg from "pg";
import { PetstoreError } from "../../domain/errors.ts";

const AUTHORITY = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?]*)(.*)$/;

/**
 * Splits a URL with several hosts, such as `postgres://user@a:5432,b:5432/petstore` (PostgreSQL, 34.1.1.3), into one URL
 * per host. Returns any other URL unchanged.
 */
export function urlsOf(url: string): string[] {
  const [, before = "", hosts = "", rest = ""] = AUTHORITY.exec(url) ?? [];
  if (!hosts.includes(",")) return [url];
  return hosts.split(",").map((host) => before + host + rest);
}

/** The hosts of a URL. New connections go to one of them until it fails. */
export class Hosts {
  readonly areStandbys: boolean;
  readonly #urls: string[];
  #current = 0;

  constructor(url: string, areStandbys: boolean) {
    this.areStandbys = areStandbys;
    this.#urls = urlsOf(url);
  }

  get count(): number {
    return this.#urls.length;
  }

  get current(): string {
    return this.#urls[this.#current] ?? "";
  }

  /** Directs new connections to the next host, unless they no longer go to the one that failed. */
  failOver(failed: string): void {
    if (this.current === failed) this.#current = (this.#current + 1) % this.#urls.length;
  }
}

/** serialization_failure and deadlock_detected: another attempt may succeed. */
const RETRYABLE = ["40001", "40P01"];
/** lock_not_available: the statement waited for a lock for too long. */
const LOCK_TIMEOUT = "55P03";
/**
 * After these a connection cannot be used: connection exceptions, server shutdown, an idle transaction timeout, and a
 * transaction that may not write: a new connection may.
 */
const LOST = /^(08|57P|25006|25P03)/;

/** Returns the SQLSTATE (PostgreSQL, Appendix A), or undefined when the error is not the server's. */
function sqlstateOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

export function isRetryable(error: unknown): boolean {
  return RETRYABLE.includes(sqlstateOf(error) ?? "");
}

export function isLockTimeout(error: unknown): boolean {
  return sqlstateOf(error) === LOCK_TIMEOUT;
}

/**
 * Whether the connection must not be used again. After a timeout the response may still arrive on it. A PetstoreError is
 * the refusal of a transaction.
 */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof PetstoreError) return false;
  const sqlstate = sqlstateOf(error);
  return sqlstate === undefined || LOST.test(sqlstate);
}

/** How long a statement may wait for a lock, and run, until the server cancels it, in ms; 0 for no time-out. */
type Timeouts = { lock: number; statement: number };

/**
 * The same for a pool, and how long the service waits for a connection and for a result. The server gives up first: what it
 * has cancelled has changed nothing, and its connection can be used again. Who may wait for longer tries the next hosts at once.
 */
export type PoolTimeouts = Timeouts & { connection: number; result: number; triesHosts?: boolean };

export const REQUEST: PoolTimeouts = { connection: 1_000, lock: 800, statement: 1_000, result: 1_200 };
/** Reads from a standby: what waits in vain is read from the primary. */
export const STANDBY: PoolTimeouts = { connection: 250, lock: 200, statement: 200, result: 250 };
/** Requests of operators, who search and count all keys, and have few connections. */
export const OPERATOR: PoolTimeouts = {
  connection: 4_000,
  lock: 800,
  statement: 10_000,
  result: 10_200,
  triesHosts: true,
};
/** One page of an export. */
export const EXPORT: Timeouts = { lock: 5_000, statement: 60_000 };
/** A statement of a migration, which may rewrite a table: requests that wait behind it for the table outlast its lock's. */
export const MIGRATION: Timeouts = { lock: 500, statement: 0 };
/** Waits for as long as another node holds the lock. */
export const LOCK: Timeouts = { lock: 0, statement: 0 };

/** A stalled node must not hold its row locks for longer than this, in ms. */
const MAX_IDLE = 2_000;

/**
 * Begins a transaction with these time-outs. They end with it, so that a pooler may give its connection to anyone. To compile a
 * statement (JIT) takes a hundred milliseconds, and none runs so long.
 */
export function begin({ lock, statement }: Timeouts, maxIdle = MAX_IDLE): string {
  return `BEGIN; SET LOCAL jit = off; SET LOCAL lock_timeout = ${lock}; SET LOCAL statement_timeout = ${statement};
    SET LOCAL idle_in_transaction_session_timeout = ${maxIdle}`;
}

/** In ms. */
const IDLE_TIMEOUT = 30_000;

/** A statement with the values of `$1`, `$2`, … With a name, each connection prepares it once. */
type Query = { name?: string; text: string; values: unknown[] };
export type Run = <R extends pg.QueryResultRow>(query: Query) => Promise<pg.QueryResult<R>>;

/**
 * A pool of connections whose statements have time-outs in the server. Behind a pooler such as PgBouncer, where the next
 * transaction may run on another connection of the server, each statement brings its time-outs and is not prepared.
 */
export class Connections {
  readonly #pool: pg.Pool;
  readonly #hosts: Hosts;
  readonly #timeouts: PoolTimeouts;
  /** The connections that lead to a pooler. */
  readonly #pooled = new WeakSet<pg.ClientBase>();

  constructor(hosts: Hosts, size: number, timeouts: PoolTimeouts, onLostConnection: (error: Error) => void) {
    this.#hosts = hosts;
    this.#timeouts = timeouts;
    this.#pool = new pg.Pool({
      max: size,
      connectionTimeoutMillis: timeouts.connection,
      query_timeout: timeouts.result,
      idleTimeoutMillis: IDLE_TIMEOUT,
      application_name: "petstore",
      pipeline: true,
      Client: class extends pg.Client {
        constructor(options?: pg.ClientConfig) {
          super({ ...options, connectionString: hosts.current });
        }
      },
      onConnect: (client) => this.#prepare(client),
    });
    this.#pool.on("error", onLostConnection);
  }

  /** Runs `work` on a connection. @throws the error of `work`, or the error of connecting */
  async use<T>(work: (client: pg.ClientBase, run: Run) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    // A lost connection fails the query and emits an event, which needs a listener.
    client.on("error", ignored);
    try {
      const result = await work(client, (query) => this.#run(client, query));
      client.off("error", ignored).release();
      return result;
    } catch (error) {
      client.off("error", ignored).release(isConnectionLost(error));
      throw error;
    }
  }

  get begin(): string {
    return begin(this.#timeouts);
  }

  prepares(client: pg.ClientBase): boolean {
    return !this.#pooled.has(client);
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async #connect(): Promise<pg.PoolClient> {
    const { triesHosts = false } = this.#timeouts;
    for (let tries = 1; ; tries++) {
      const host = this.#hosts.current;
      try {
        return await this.#pool.connect();
      } catch (error) {
        this.#hosts.failOver(host);
        if (!triesHosts || tries === this.#hosts.count) throw error;
      }
    }
  }

  /** Sets the settings of `begin` for a new connection, unless a pooler might keep them for others. */
  async #prepare(client: pg.ClientBase): Promise<void> {
    const { lock, statement } = this.#timeouts;
    const { isPooled } = await requireRole(client, this.#hosts);
    if (isPooled) this.#pooled.add(client);
    else await client.query(`SET jit = off; SET lock_timeout = ${lock}; SET statement_timeout = ${statement}`);
  }

  async #run<R extends pg.QueryResultRow>(client: pg.ClientBase, { name, text, values }: Query) {
    if (this.prepares(client)) return client.query<R>({ ...(name !== undefined && { name }), text, values });
    // Sent together: as long as one statement alone.
    const [begun, result, committed] = await Promise.allSettled([
      client.query(this.begin),
      client.query<R>({ text, values }),
      client.query("COMMIT"),
    ]);
    for (const sent of [begun, result, committed]) if (sent.status === "rejected") throw sent.reason;
    if (result.status === "rejected") throw result.reason;
    return result.value;
  }
}

/** Refuses a standby, whose data may be behind, or any other. Returns whether a pooler is in between: its process id is another one. */
export async function requireRole(client: pg.ClientBase, { areStandbys }: Hosts): Promise<{ isPooled: boolean }> {
  const { rows } = await client.query("SELECT pg_backend_pid() AS pid, pg_is_in_recovery() AS is_standby");
  const isStandby = rows[0]?.is_standby === true;
  if (isStandby !== areStandbys) throw new Error(`this PostgreSQL server is ${isStandby ? "a" : "no"} standby`);
  return { isPooled: "processID" in client && client.processID !== rows[0]?.pid };
}

export function ignored(): void {}
