import type { Awaitable } from "../../domain/awaitable.ts";

export type Values = Readonly<Record<string, string | number | bigint | null>>;

/** A row, by column name. Integers are numbers, bigints or digits, all exact. */
export type Row = Readonly<Record<string, unknown>>;

export type Statement = { text: string; values: Values };

/**
 * A transaction: each `yield` runs a statement and returns its rows. It may run again after a conflict, so it must have no
 * other effects. What it throws undoes its statements, which is cheap before the first write and after a tentative one.
 */
export type Transaction<T> = Generator<Statement & { isTentative?: boolean }, T, Row[]>;

/** A statement that writes. With `mustChange` the transaction fails if it changes no row. */
export type Write = Statement & { mustChange?: boolean };

/**
 * An SQL database. Statements use the SQL that SQLite and PostgreSQL share, with named parameters (`:id`) and tables with
 * their schema (`petstore.keys`). Every method throws service_unavailable when the database cannot be reached or refuses a
 * statement.
 */
export interface Sql {
  /** Runs a query for the request of a client, which has little time. */
  read(text: string, values?: Values): Awaitable<Row[]>;
  first(text: string, values?: Values): Awaitable<Row | undefined>;
  all(text: string, values?: Values): Awaitable<Row[]>;
  /**
   * Runs the statements in one transaction, which is durable when the promise resolves. Writes nothing and returns false
   * when a statement with `mustChange` changes no row.
   */
  commit(...writes: Write[]): Promise<boolean>;
  /**
   * Runs a transaction, which is durable when the promise resolves. `SELECT … FOR UPDATE` and `FOR SHARE` lock rows
   * until it ends.
   * @throws service_unavailable, and the PetstoreError that the transaction throws
   */
  transaction<T>(run: () => Transaction<T>): Promise<T>;
}
