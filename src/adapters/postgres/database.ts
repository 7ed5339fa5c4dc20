import pg from "pg";
import { PetstoreError, unavailable } from "../../domain/errors.ts";
import type { Sql, Transaction, Values, Write } from "../sql/sql.ts";
import { Connections, ignored, type Run, requireWritable } from "./connections.ts";
import { Hosts } from "./hosts.ts";
import { numbered } from "./numbered.ts";
import { prepared } from "./prepared.ts";
import { isConnectionLost, isRetryable } from "./sqlstate.ts";
import { begin, LOCK, OPERATOR, type PoolTimeouts, REQUEST } from "./timeouts.ts";
import { runTransaction } from "./transaction.ts";

const SESSION_CONNECT_TIMEOUT = 4_000;
/** The part of the connections that requests of operators may use: slow ones do not delay clients. */
const OPERATORS_PART = 5;
/** The part that transactions of clients may use: those that wait for the same pet do not delay reads. */
const TRANSACTIONS_PART = 3;
/** The id of the advisory lock of `withLock`: "pets" in ASCII. */
const LOCK_ID = 0x70657473;
/** Attempts at a transaction after serialization failures, and the first delay in ms, which doubles. */
const MAX_TRIES = 5;
const RETRY_DELAY = 5;
const NOW: Statement = {
  name: "petstore_now",
  text: "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now",
};

const SIZE: Statement = { name: "petstore_size", text: "SELECT pg_database_size(current_database()) AS size" };

/** A parameter of a statement. A bigint is sent as its digits. */
export type Value = string | number | bigint | null | readonly (string | number | bigint | null)[];
/** A row of a result. int8 values are digits. */
export type Row = Record<string, string | null>;
/** A statement that each connection prepares once under its name. */
export type Statement = { name: string; text: string };

export type Session = { query(text: string, values?: Value[]): Promise<Row[]>; end(): Promise<void> };

/**
 * Connections to PostgreSQL or a compatible engine, direct or through a pooler. Every operation has a timeout. `query` is
 * for the requests of clients; `first`, `all` and `commit` are for those of operators, which may take longer.
 */
export class Database implements Sql {
  readonly #hosts: Hosts;
  readonly #clients: Connections;
  readonly #transactions: Connections;
  readonly #operators: Connections;

  /**
   * `url`: `postgres://user:password@host:port/database`. Of several hosts the writable one is used.
   * `size`: the largest number of connections, at least 3.
   */
  constructor(url: string, size: number, onLostConnection: (error: Error) => void) {
    const forOperators = Math.ceil(size / OPERATORS_PART);
    const forTransactions = Math.ceil(size / TRANSACTIONS_PART);
    const forClients = Math.max(1, size - forOperators - forTransactions);
    const connections = (count: number, timeouts: PoolTimeouts) =>
      new Connections(this.#hosts, count, timeouts, onLostConnection);
    this.#hosts = new Hosts(url);
    this.#clients = connections(forClients, REQUEST);
    this.#transactions = connections(forTransactions, REQUEST);
    this.#operators = connections(forOperators, OPERATOR);
  }

  /**
   * Runs a statement. Retries after a serialization failure.
   * @throws service_unavailable when the server cannot be reached, or does not answer in time
   */
  query(statement: Statement, values: Value[] = []): Promise<Row[]> {
    return withRetries(this.#clients, async (_, run) => (await run<Row>({ ...statement, values })).rows);
  }

  read(text: string, values: Values = {}): Promise<Row[]> {
    const statement = numbered(text, values);
    return this.query(prepared(statement.text), statement.values);
  }

  async first(text: string, values: Values = {}): Promise<Row | undefined> {
    return (await this.all(text, values))[0];
  }

  all(text: string, values: Values = {}): Promise<Row[]> {
    return withRetries(this.#operators, async (_, run) => (await run<Row>(numbered(text, values))).rows);
  }

  commit(...writes: Write[]): Promise<boolean> {
    return withRetries(this.#operators, (client) => commit(client, this.#operators.begin, writes));
  }

  transaction<T>(run: () => Transaction<T>): Promise<T> {
    return transact(this.#transactions, run);
  }

  /** As `transaction`, for the request of an operator, which may take longer. */
  operatorTransaction<T>(run: () => Transaction<T>): Promise<T> {
    return transact(this.#operators, run);
  }

  /**
   * Runs a transaction that requests of clients share. It must not wait for rows that others may keep locked: it uses the
   * connections of statements.
   */
  sharedTransaction<T>(run: () => Transaction<T>): Promise<T> {
    return transact(this.#clients, run);
  }

  /** The server's clock, in Unix ms. @throws service_unavailable */
  async now(): Promise<number> {
    return Number((await this.query(NOW))[0]?.now);
  }

  /** The bytes of the database on the server's disk. @throws service_unavailable */
  async size(): Promise<number> {
    return Number((await this.query(SIZE))[0]?.size);
  }

  /** Opens a connection outside the pool, whose statements have no time-outs of their own. @throws service_unavailable */
  async session(): Promise<Session> {
    for (let tries = 1; ; tries++) {
      const host = this.#hosts.current;
      const client = new pg.Client({ connectionString: host, connectionTimeoutMillis: SESSION_CONNECT_TIMEOUT });
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
        this.#hosts.failOver(host);
        if (tries === this.#hosts.count) throw unavailable(error);
      }
    }
  }

  /** Runs `work` while it holds the one lock that all nodes share. @throws service_unavailable */
  async withLock<T>(work: () => Promise<T>): Promise<T> {
    const session = await this.session();
    try {
      // The lock of a transaction: a pooler would give the lock of a session to others.
      await session.query(begin(LOCK, 0));
      await session.query(`SELECT pg_advisory_xact_lock(${LOCK_ID})`);
      return await work();
    } finally {
      await session.end();
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#clients, this.#transactions, this.#operators].map((connections) => connections.close()));
  }
}

/** Runs `work` on a connection. Retries after a serialization failure. */
async function withRetries<T>(
  connections: Connections,
  work: (client: pg.ClientBase, run: Run) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await connections.use(work);
    } catch (error) {
      if (error instanceof PetstoreError) throw error;
      if (!isRetryable(error) || tries === MAX_TRIES) throw unavailable(error);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * RETRY_DELAY * 2 ** tries));
    }
  }
}

function transact<T>(connections: Connections, run: () => Transaction<T>): Promise<T> {
  const { begin } = connections;
  return withRetries(connections, (client) =>
    runTransaction(client, { begin, isPrepared: connections.prepares(client) }, run()),
  );
}

/** Implements `Sql.commit` on a connection. */
async function commit(client: pg.ClientBase, begin: string, writes: Write[]): Promise<boolean> {
  await client.query(begin);
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
