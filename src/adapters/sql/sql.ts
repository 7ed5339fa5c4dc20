import type { Awaitable } from "../../domain/awaitable.ts";

export type Values = Readonly<Record<string, string | number | bigint | null>>;

/** A row, by column name. Integers are numbers, bigints or digits, all exact. */
export type Row = Readonly<Record<string, unknown>>;

/** A statement that writes. With `mustChange` the transaction fails if it changes no row. */
export type Write = { text: string; values: Values; mustChange?: boolean };

/**
 * An SQL database. Statements use the SQL that SQLite and PostgreSQL share, with named parameters (`:id`) and tables with
 * their schema (`petstore.keys`). Every method throws service_unavailable when the database cannot be reached or refuses a
 * statement.
 */
export interface Sql {
  first(text: string, values?: Values): Awaitable<Row | undefined>;
  all(text: string, values?: Values): Awaitable<Row[]>;
  /**
   * Runs the statements in one transaction, which is durable when the promise resolves. Writes nothing and returns false
   * when a statement with `mustChange` changes no row.
   */
  commit(...writes: Write[]): Promise<boolean>;
}
