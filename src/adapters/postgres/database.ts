import pg from "pg";
import { PetstoreError, unavailable } from "../../domain/errors.ts";
import type { Sql, Transaction, Values, Write } from "../sql/sql.ts";
import { urlsOf } from "./hosts.ts";
import { numbered } from "./numbered.ts";
import { isConnectionLost, isRetryable } from "./sqlstate.ts";

/** In ms. Getting a connection and running a query have timeouts, so that no request waits for long. */
const CONNECT_TIMEOUT = 1_000;
const QUERY_TIMEOUT = 1_200;
const IDLE_TIMEOUT = 30_000;
const SESSION_CONNECT_TIMEOUT = 10_000;
/** A stalled node must not hold its row locks for longer than this, in ms. */
const BEGIN = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = 2000";
/** The id of the advisory lock of `withLock`: "pets" in ASCII. */
const LOCK = 0x70657473;
/** Attempts at a transaction after serialization failures, and the first delay in ms, which doubles. */
const MAX_TRIES = 5;
const RETRY_DELAY = 5;

/** A parameter of a statement. A bigint is sent as its digits. */
export type Value = string | number | bigint | null | readonly (string | number | bigint | null)[];
/** A row of a result. int8 values are digits. */
export type Row = Record<string, string | null>;
/** A statement that each connection prepares once under its name. */
export type Statement = { name: string; text: string };

export type Session = { query(text: string, values?: Value[]): Promise<Row[]>; end(): Promise<void> };

/** A pool of connections to PostgreSQL or a compatible engine. Every operation has a timeout. */
export class Database implements Sql {
  readonly #pool: pg.Pool;
  readonly #urls: string[];
  /** The index of the host for new connections. */
  #host = 0;

  /** `url`: `postgres://user:password@host:port/database`. Of several hosts the writable one is used. */
  constructor(url: string, size: number, onLostConnection: (error: Error) => void) {
    const urls = urlsOf(url);
    const host = () => urls[this.#host];
    this.#urls = urls;
    this.#pool = new pg.Pool({
      max: size,
      connectionTimeoutMillis: CONNECT_TIMEOUT,
      query_timeout: QUERY_TIMEOUT,
      idleTimeoutMillis: IDLE_TIMEOUT,
      application_name: "petstore",
      Client: class extends pg.Client {
        constructor(options?: pg.ClientConfig) {
          super({ ...options, connectionString: host() });
        }
      },
      onConnect: requireWritable,
    });
    this.#pool.on("error", onLostConnection);
  }

  /**
   * Runs a statement. Retries after a serialization failure.
   * @throws service_unavailable when the server cannot be reached, or does not answer in time
   */
  query(statement: Statement, values: Value[] = []): Promise<Row[]> {
    return this.#withRetries(async (client) => (await client.query<Row>({ ...statement, values })).rows);
  }

  async first(text: string, values: Values = {}): Promise<Row | undefined> {
    return (await this.all(text, values))[0];
  }

  all(text: string, values: Values = {}): Promise<Row[]> {
    return this.#withRetries(async (client) => (await client.query<Row>(numbered(text, values))).rows);
  }

  commit(...writes: Write[]): Promise<boolean> {
    return this.#withRetries((client) => commit(client, writes));
  }

  transaction<T>(run: () => Transaction<T>): Promise<T> {
    return this.#withRetries((client) => runTransaction(client, run()));
  }

  /** Opens a connection outside the pool, whose queries have no timeout. @throws service_unavailable */
  async session(): Promise<Session> {
    for (let tries = 1; ; tries++) {
      const host = this.#host;
      const client = new pg.Client({
        connectionString: this.#urls[host],
        connectionTimeoutMillis: SESSION_CONNECT_TIMEOUT,
      });
      client.on("error", ignored);
      try {
        await client.connect();
        await requireWritable(client);
        return {
          query: async (text, values = []) => (await client.query<Row>(text, values)).rows,
          end: () => client.end(),
        };
      } catch (error) {
        await client.end();
        this.#failOver(host);
        if (tries === this.#urls.length) throw unavailable(error);
      }
    }
  }

  /** Runs `work` while it holds the one lock that all nodes share. @throws service_unavailable */
  async withLock<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.session();
    try {
      await session.query(`SELECT pg_advisory_lock(${LOCK})`);
      return await work(session);
    } finally {
      await session.end();
    }
  }

  /** @throws service_unavailable when the server does not answer */
  async check(): Promise<void> {
    await this.query({ name: "petstore_check", text: "SELECT 1" });
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  /** Runs `work` on a connection of the pool. Retries after a serialization failure. */
  async #withRetries<T>(work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#withClient(work);
      } catch (error) {
        if (error instanceof PetstoreError) throw error;
        if (!isRetryable(error) || tries === MAX_TRIES) throw unavailable(error);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * RETRY_DELAY * 2 ** tries));
      }
    }
  }

  async #withClient<T>(work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    // A lost connection fails the query and emits an event, which needs a listener.
    client.on("error", ignored);
    try {
      const result = await work(client);
      client.off("error", ignored).release();
      return result;
    } catch (error) {
      client.off("error", ignored).release(isConnectionLost(error));
      throw error;
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    const tried = this.#host;
    try {
      return await this.#pool.connect();
    } catch (error) {
      this.#failOver(tried);
      throw error;
    }
  }

  /** Directs new connections to the next host, unless they already go there. */
  #failOver(host: number): void {
    if (this.#host === host) this.#host = (host + 1) % this.#urls.length;
  }
}

function ignored(): void {}

/** Implements `Sql.commit` on a connection. */
async function commit(client: pg.ClientBase, writes: Write[]): Promise<boolean> {
  await client.query(BEGIN);
  try {
    for (const { text, values, mustChange = false } of writes) {
      const { rowCount } = await client.query(numbered(text, values));
      if (rowCount === 0 && mustChange) {
        await client.query("ROLLBACK");
        return false;
      }
    }
    await client.query("COMMIT");
    return true;
  } catch (error) {
    if (!isConnectionLost(error)) await client.query("ROLLBACK");
    throw error;
  }
}

/** Implements `Sql.transaction` on a connection. */
async function runTransaction<T>(client: pg.ClientBase, transaction: Transaction<T>): Promise<T> {
  await client.query(BEGIN);
  try {
    let step = transaction.next([]);
    while (step.done !== true) {
      const { text, values } = step.value;
      step = transaction.next((await client.query<Row>(numbered(text, values))).rows);
    }
    await client.query("COMMIT");
    return step.value;
  } catch (error) {
    if (!isConnectionLost(error)) await client.query("ROLLBACK");
    throw error;
  }
}

/** Refuses a standby, whose data may be behind. */
async function requireWritable(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query("SHOW transaction_read_only");
  if (rows[0]?.transaction_read_only === "on") throw new Error("this PostgreSQL server is read-only");
}
