import pg from "pg";
import { unavailable } from "../../domain/errors.ts";
import type { Sql, Values, Write } from "../sql/sql.ts";
import { urlsOf } from "./hosts.ts";
import { numbered } from "./numbered.ts";
import { isConnectionLost, isWorthAnotherTry } from "./sqlstate.ts";

/** How long getting a connection, and the answer to a query, may take, in ms. */
const CONNECT_TIMEOUT = 1_000;
const QUERY_TIMEOUT = 1_200;
const IDLE_TIMEOUT = 30_000;
const SESSION_CONNECT_TIMEOUT = 10_000;
/** A node that stands still in a transaction must not keep the locks of its rows for longer than this, in ms. */
const BEGIN = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = 2000";
/** The number of the advisory lock that `withLock` takes: "pets" in ASCII. */
const LOCK = 0x70657473;
/** How often a transaction that others got in the way of is tried, and how long it waits before: up to this many ms, doubling. */
const MOST_TRIES = 5;
const RETRY_DELAY = 5;

/** What goes into a statement. A bigint goes as its digits. */
export type Value = string | number | bigint | null | readonly (string | number | bigint | null)[];
/** What comes out: int8 as its digits. */
export type Row = Record<string, string | null>;
/** A statement that a connection prepares once, under its name. */
export type Statement = { name: string; text: string };

export type Session = { query(text: string, values?: Value[]): Promise<Row[]>; end(): Promise<void> };

/** A pool of connections to PostgreSQL, or to an engine that speaks its language. Every wait in it ends. */
export class Database implements Sql {
  readonly #pool: pg.Pool;
  readonly #urls: string[];
  /** Which of the hosts new connections go to. */
  #host = 0;

  /** `url`: `postgres://user:password@host:port/database`; of several hosts, the one that takes writes is used. */
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
   * Runs one statement, again when another transaction got in its way.
   * @throws service_unavailable when the server cannot be reached, or does not answer in time
   */
  query(statement: Statement, values: Value[] = []): Promise<Row[]> {
    return this.#retried(async (client) => (await client.query<Row>({ ...statement, values })).rows);
  }

  async first(text: string, values: Values = {}): Promise<Row | undefined> {
    return (await this.all(text, values))[0];
  }

  all(text: string, values: Values = {}): Promise<Row[]> {
    return this.#retried(async (client) => (await client.query<Row>(numbered(text, values))).rows);
  }

  commit(...writes: Write[]): Promise<boolean> {
    return this.#retried((client) => commit(client, writes));
  }

  /** A connection outside the pool, whose queries may take any time. @throws service_unavailable */
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
        this.#leave(host);
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

  /** Runs `work` on a connection of the pool, again after a while when other transactions got in its way. */
  async #retried<T>(work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#connectedTo(work);
      } catch (error) {
        if (!isWorthAnotherTry(error) || tries === MOST_TRIES) throw unavailable(error);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * RETRY_DELAY * 2 ** tries));
      }
    }
  }

  async #connectedTo<T>(work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
    const client = await this.#connected();
    // A lost connection is reported twice: to the query, which is what counts, and as an event, which must have a listener.
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

  async #connected(): Promise<pg.PoolClient> {
    const tried = this.#host;
    try {
      return await this.#pool.connect();
    } catch (error) {
      this.#leave(tried);
      throw error;
    }
  }

  /** Has new connections go to the next host, unless they already do. */
  #leave(host: number): void {
    if (this.#host === host) this.#host = (host + 1) % this.#urls.length;
  }
}

function ignored(): void {}

/** Runs writes in one transaction, on this connection. What `Sql.commit` promises. */
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

/** A standby reads, but its catalogue may be behind: the next host may be the one that takes writes. */
async function requireWritable(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query("SHOW transaction_read_only");
  if (rows[0]?.transaction_read_only === "on") throw new Error("this PostgreSQL server takes no writes");
}
