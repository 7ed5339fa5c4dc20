import pg from "pg";
import type { Hosts } from "./hosts.ts";
import { isConnectionLost } from "./sqlstate.ts";
import { begin, type PoolTimeouts } from "./timeouts.ts";

/** In ms. */
const IDLE_TIMEOUT = 30_000;

/** A statement with the values of `$1`, `$2`, … With a name, each connection prepares it once. */
export type Query = { name?: string; text: string; values: unknown[] };
/** Runs a statement on a connection. */
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

  /** The command that begins a transaction of several statements. */
  get begin(): string {
    return begin(this.#timeouts);
  }

  /** Whether a connection keeps prepared statements. */
  prepares(client: pg.ClientBase): boolean {
    return !this.#pooled.has(client);
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async #connect(): Promise<pg.PoolClient> {
    const host = this.#hosts.current;
    try {
      return await this.#pool.connect();
    } catch (error) {
      this.#hosts.failOver(host);
      throw error;
    }
  }

  /** Sets the time-outs of a new connection, unless a pooler might keep them for others. */
  async #prepare(client: pg.ClientBase): Promise<void> {
    const { lock, statement } = this.#timeouts;
    const { isPooled } = await requireWritable(client);
    if (isPooled) this.#pooled.add(client);
    else await client.query(`SET lock_timeout = ${lock}; SET statement_timeout = ${statement}`);
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

/** Refuses a standby, whose data may be behind. Returns whether a pooler is in between: its process id is another one. */
export async function requireWritable(client: pg.ClientBase): Promise<{ isPooled: boolean }> {
  const { rows } = await client.query(
    "SELECT pg_backend_pid() AS pid, current_setting('transaction_read_only') AS read_only",
  );
  if (rows[0]?.read_only === "on") throw new Error("this PostgreSQL server is read-only");
  return { isPooled: "processID" in client && client.processID !== rows[0]?.pid };
}

export function ignored(): void {}
