import { hash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { PetstoreError, unavailable } from "../../domain/errors.ts";
import { LruMap } from "../../domain/lru-map.ts";
import { type Row, type Sql, seekByPosition, type Transaction, type Values, type Write } from "../sql/sql.ts";
import {
  begin,
  Connections,
  Hosts,
  ignored,
  isConnectionLost,
  isRetryable,
  LOCK,
  OPERATOR,
  type PoolTimeouts,
  REQUEST,
  type Run,
  requireRole,
  STANDBY,
} from "./connections.ts";

type Numbered = { text: string; names: readonly string[] };

/** By text: there are few, some with hundreds of parameters. */
const known = new LruMap<Numbered>(500);

/** Converts named parameters to PostgreSQL's positional ones: `$1` for the first name in the text, and so on. */
export function numbered(text: string, values: Values) {
  const { text: positional, names } = known.get(text) ?? convert(text);
  return { text: positional, values: names.map((name) => values[name] ?? null) };
}

function convert(text: string): Numbered {
  const numbers = new Map<string, number>();
  const positional = text.replace(/:(\w+)/g, (_, name: string) => {
    const number = numbers.get(name) ?? numbers.size + 1;
    numbers.set(name, number);
    return `$${number}`;
  });
  const converted = { text: positional, names: [...numbers.keys()] };
  known.set(text, converted);
  return converted;
}

const names = new Map<string, string>();

/** Returns the statement with a name of its own, under which each connection prepares it once. */
function prepared(text: string): { name: string; text: string } {
  const name = names.get(text) ?? `petstore_${hash("sha256", text, "hex").slice(0, 16)}`;
  names.set(text, name);
  return { name, text };
}

/** The command that begins it, and whether its statements are prepared on the connection. */
type TransactionOptions = { begin: string; isPrepared: boolean };

/**
 * Runs a transaction on a connection. It waits only for rows: the command that begins the transaction is sent together with
 * the first query, and writes without rows together with what comes next, at last the commit. When a statement fails, the
 * server runs none of those that follow it, and the commit rolls back.
 */
async function runTransaction<T>(
  client: pg.ClientBase,
  { begin, isPrepared }: TransactionOptions,
  transaction: Transaction<T>,
): Promise<T> {
  const sent: Promise<unknown>[] = [client.query(begin)];
  try {
    let step = transaction.next([]);
    // Without a transaction, a write would be committed at once.
    if (step.done !== true && !step.value.text.startsWith("SELECT")) await allOf(sent);
    while (step.done !== true) {
      const { text, values } = numbered(step.value.text, step.value.values);
      const result = client.query<Row>({ ...(isPrepared ? prepared(text) : { text }), values });
      sent.push(result);
      if (hasRows(text)) {
        await allOf(sent);
        step = transaction.next((await result).rows);
      } else {
        step = transaction.next([]);
      }
    }
    sent.push(client.query("COMMIT"));
    await allOf(sent);
    return step.value;
  } catch (error) {
    await Promise.allSettled(sent);
    if (!isConnectionLost(error)) await client.query("ROLLBACK");
    throw error;
  }
}

function hasRows(text: string): boolean {
  return !/^(INSERT|UPDATE|DELETE) /.test(text) || text.includes(" RETURNING ");
}

/** Waits for all, and empties the list. @throws the error of the first that failed, which made the others fail */
async function allOf(sent: Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(sent.splice(0));
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

const SESSION_CONNECT_TIMEOUT = 4_000;
/** The part of the connections that requests of operators may use: slow ones do not delay clients. */
const OPERATORS_PART = 5;
/** The part that transactions of clients may use: those that wait for the same pet do not delay reads. */
const TRANSACTIONS_PART = 3;
/** The id of the advisory lock of `withLock`: "pets" in ASCII. */
const LOCK_ID = 0x70657473;
const TRY_LOCK = `SELECT pg_try_advisory_xact_lock(${LOCK_ID})::text AS is_locked`;
/** In ms. */
const LOCK_INTERVAL = 50;
/** Attempts at a transaction after serialization failures, and the first delay in ms, which doubles. */
const MAX_TRIES = 5;
const RETRY_DELAY = 5;
/** The expression of the server's clock, in Unix ms, as `Sql` takes it. */
export const SERVER_TIME = "CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint)";
/** Whether transactions cannot write, as `setting`. */
export const READ_ONLY = "SELECT current_setting('transaction_read_only') AS setting";

/** A parameter of a statement. A bigint is sent as its digits. */
type Value = string | number | bigint | null | readonly (string | number | bigint | null)[];
/** A row of a result. int8 values are digits. */
export type TextRow = Record<string, string | null>;

export type DatabaseSession = { query(text: string, values?: Value[]): Promise<TextRow[]>; end(): Promise<void> };

/**
 * Connections to PostgreSQL, direct or through a pooler. Every operation has a timeout. `query` is
 * for the requests of clients; `first`, `all` and `commit` are for those of operators, which may take longer.
 */
export class Database implements Sql {
  readonly afterCommit = new Set<() => void>();
  readonly seek = seekByPosition;
  readonly #hosts: Hosts;
  readonly #clients: Connections;
  readonly #transactions: Connections;
  readonly #operators: Connections;

  /**
   * `url`: `postgres://user:password@host:port/database`. Of several hosts the writable one is used.
   * `size`: the largest number of connections, at least 3. A standby is only read from, with less time.
   */
  constructor(url: string, size: number, onLostConnection: (error: Error) => void, isStandby = false) {
    const forOperators = Math.ceil(size / OPERATORS_PART);
    const forTransactions = Math.ceil(size / TRANSACTIONS_PART);
    const forClients = Math.max(1, size - forOperators - forTransactions);
    const connections = (count: number, timeouts: PoolTimeouts) =>
      new Connections(this.#hosts, count, timeouts, onLostConnection);
    this.#hosts = new Hosts(url, isStandby);
    this.#clients = connections(forClients, isStandby ? STANDBY : REQUEST);
    this.#transactions = connections(forTransactions, REQUEST);
    this.#operators = connections(forOperators, OPERATOR);
  }

  /**
   * Runs a statement, which each connection prepares once. Retries after a serialization failure.
   * @throws service_unavailable when the server cannot be reached, or does not answer in time
   */
  async query(text: string, values: Value[] = []): Promise<TextRow[]> {
    const { rows } = await withRetries(this.#clients, (_, run) => run<TextRow>({ ...prepared(text), values }));
    if (!text.startsWith("SELECT ")) this.#committed();
    return rows;
  }

  read(text: string, values: Values = {}): Promise<TextRow[]> {
    const statement = numbered(text, values);
    return this.query(statement.text, statement.values);
  }

  async first(text: string, values: Values = {}): Promise<TextRow | undefined> {
    return (await this.all(text, values))[0];
  }

  all(text: string, values: Values = {}): Promise<TextRow[]> {
    return withRetries(this.#operators, async (_, run) => (await run<TextRow>(numbered(text, values))).rows);
  }

  async commit(...writes: Write[]): Promise<boolean> {
    const haveChanged = await withRetries(this.#operators, (client) => commit(client, this.#operators.begin, writes));
    this.#committed();
    return haveChanged;
  }

  transaction<T>(run: () => Transaction<T>): Promise<T> {
    return this.#transact(this.#transactions, run);
  }

  /** As `transaction`, for the request of an operator, which may take longer. */
  operatorTransaction<T>(run: () => Transaction<T>): Promise<T> {
    return this.#transact(this.#operators, run);
  }

  /**
   * Runs a transaction that requests of clients share. It must not wait for rows that others may keep locked: it uses the
   * connections of statements.
   */
  sharedTransaction<T>(run: () => Transaction<T>): Promise<T> {
    return this.#transact(this.#clients, run);
  }

  async #transact<T>(connections: Connections, run: () => Transaction<T>): Promise<T> {
    const { begin } = connections;
    const result = await withRetries(connections, (client) =>
      runTransaction(client, { begin, isPrepared: connections.prepares(client) }, run()),
    );
    this.#committed();
    return result;
  }

  #committed(): void {
    for (const committed of this.afterCommit) committed();
  }

  /** The server's clock, in Unix ms. @throws service_unavailable */
  async now(): Promise<number> {
    return Number((await this.read(`SELECT ${SERVER_TIME} AS now`))[0]?.now);
  }

  /** Whether transactions cannot write: managed services set this when the disk is nearly full. @throws service_unavailable */
  async isReadOnly(): Promise<boolean> {
    return (await this.read(READ_ONLY))[0]?.setting === "on";
  }

  /** Up to this id, a read that begins later finds each row that is ever added to `table`. @throws service_unavailable */
  async lastStableId(table: string): Promise<bigint> {
    const [row] = await this.read(`SELECT petstore.last_stable_id('${table}') AS id`);
    return BigInt(row?.id ?? 0);
  }

  /** The bytes of the database on the server's disk. @throws service_unavailable */
  async size(): Promise<number> {
    return Number((await this.read("SELECT pg_database_size(current_database()) AS size"))[0]?.size);
  }

  /** Opens a connection outside the pool, whose statements have no time-outs of their own. @throws service_unavailable */
  async session(): Promise<DatabaseSession> {
    for (let tries = 1; ; tries++) {
      const host = this.#hosts.current;
      const client = new pg.Client({ connectionString: host, connectionTimeoutMillis: SESSION_CONNECT_TIMEOUT });
      client.on("error", ignored);
      try {
        await client.connect();
        const { isPooled } = await requireRole(client, this.#hosts);
        if (!isPooled) await client.query("SET statement_timeout = 0; SET lock_timeout = 0");
        return {
          query: async (text, values = []) => (await client.query<TextRow>(text, values)).rows,
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
      // The lock of a transaction: a pooler would give the lock of a session to others. Who waits asks again and again: a
      // statement that waits has a snapshot, for whose end an index waits that the holder makes.
      await session.query(begin(LOCK, 0));
      while ((await session.query(TRY_LOCK))[0]?.is_locked !== "true") await pause(LOCK_INTERVAL);
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
      await pause(Math.random() * RETRY_DELAY * 2 ** tries);
    }
  }
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
