import type { Awaitable } from "../../domain/awaitable.ts";

export type Values = Readonly<Record<string, string | number | bigint | null>>;

/** A row, by the names of its columns. Integers come as numbers, as bigints or as their digits, each exact. */
export type Row = Readonly<Record<string, unknown>>;

/** A statement that writes. One with `mustChange` fails its transaction when it changes no row. */
export type Write = { text: string; values: Values; mustChange?: boolean };

/**
 * A database that speaks SQL. Statements keep to what SQLite and PostgreSQL share; parameters are named (`:id`), and
 * tables are named with their schema (`petstore.keys`). Every method raises service_unavailable when the database
 * cannot be reached, and when it refuses a statement.
 */
export interface Sql {
  first(text: string, values?: Values): Awaitable<Row | undefined>;
  all(text: string, values?: Values): Awaitable<Row[]>;
  /**
   * Runs the statements in one transaction, which is durable when the promise resolves. Returns false, with nothing
   * written, when one that must change a row changed none.
   */
  commit(...writes: Write[]): Promise<boolean>;
}
