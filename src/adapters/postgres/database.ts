import pg from "pg";
import { unavailable } from "../../domain/errors.ts";
import { urlsOf } from "./hosts.ts";
import { isConnectionLost, isWorthAnotherTry } from "./sqlstate.ts";

/** How long a connection may take to be had, and a query to be answered, in ms: together the longest wait for either. */
const CONNECT_PATIENCE = 1_000;
const QUERY_PATIENCE = 1_200;
const IDLE = 30_000;
const SESSION_PATIENCE = 10_000;
/** The number of the advisory lock that `withLock` takes: "pets" in ASCII. */
const LOCK = 0x70657473;
/** How often a statement that others got in the way of is tried, and how long it waits before: up to this many ms, doubling. */
const MOST_TRIES = 5;
const RETRY_DELAY = 5;

/** What goes into a statement. A bigint goes as its digits. */
export type Value = string | number | bigint | null | readonly (string | number | bigint | null)[];
/** What comes out: int8 as its digits. */
export type Row = Record<string, string | null>;
/** A statement that a connection prepares once, under its name. */
export type Statement = { name: string; text: string };

export type Session = { query(text: string, values?: Value[]): Promise<Row[]>; end(): Promise<void> };

/** A pool of connections to PostgreSQL, or to what speaks as it does. No wait in it is without an end. */
export class Database {
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
      connectionTimeoutMillis: CONNECT_PATIENCE,
      query_timeout: QUERY_PATIENCE,
      idleTimeoutMillis: IDLE,
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
   * What one statement gives. When another transaction got in its way it is tried again, after a while.
   * @throws service_unavailable when the server cannot be reached, or does not answer in time
   */
  async query({ name, text }: Statement, values: Value[] = []): Promise<Row[]> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#once({ name, text, values });
      } catch (error) {
        if (!isWorthAnotherTry(error) || tries === MOST_TRIES) throw unavailable(error);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * RETRY_DELAY * 2 ** tries));
      }
    }
  }

  /** A connection of one's own, for what has to hold on to it. It may take its time. @throws service_unavailable */
  async session(): Promise<Session> {
    for (let tries = 1; ; tries++) {
      const host = this.#host;
      const client = new pg.Client({ connectionString: this.#urls[host], connectionTimeoutMillis: SESSION_PATIENCE });
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

  async #once(statement: Statement & { values: Value[] }): Promise<Row[]> {
    const client = await this.#connected();
    // A lost connection is told twice: to the query, which is what counts, and as an event, which must have a listener.
    client.on("error", ignored);
    try {
      const { rows } = await client.query<Row>(statement);
      client.off("error", ignored).release();
      return rows;
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

  /** Has new connections go to the next host, unless somebody else has seen to that. */
  #leave(host: number): void {
    if (this.#host === host) this.#host = (host + 1) % this.#urls.length;
  }
}

function ignored(): void {}

/** A standby reads, but its catalogue may be behind: the next host may be the one that takes writes. */
async function requireWritable(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query("SHOW transaction_read_only");
  if (rows[0]?.transaction_read_only === "on") throw new Error("this PostgreSQL server takes no writes");
}
