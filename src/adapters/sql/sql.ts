import type { Awaitable } from "../../domain/awaitable.ts";
import { StartupError } from "../../domain/errors.ts";
import type { Direction } from "../../domain/pets.ts";

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

/** Returns the statement that adds a row with these columns. */
export function insertRow(table: string, values: Values): Write {
  const columns = Object.keys(values);
  return { text: `INSERT INTO petstore.${table} (${columns.join(", ")}) VALUES (:${columns.join(", :")})`, values };
}

/**
 * An SQL database. Statements use the SQL that SQLite and PostgreSQL share, with named parameters (`:id`) and tables with
 * their schema (`petstore.keys`). Every method throws service_unavailable when the database cannot be reached or refuses a
 * statement.
 */
export interface Sql {
  /** What is called after each commit of this process. */
  readonly afterCommit: Set<() => void>;
  /** Selects what a page reads in the way that makes the engine use the index that begins with the columns. */
  readonly seek: Seek;
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

/** What became of a request within a transaction that others share: its result, or its refusal. */
export type TransactionOutcome<T> = { result: T } | { refusal: unknown };

/** @throws the refusal */
export function resultOf<T>(outcome: TransactionOutcome<T>): T {
  if ("refusal" in outcome) throw outcome.refusal;
  return outcome.result;
}

export type Conditions = { texts: string[]; values: Values };

export function both(some: Conditions, others: Conditions): Conditions {
  return { texts: [...some.texts, ...others.texts], values: { ...some.values, ...others.values } };
}

/** The WHERE clause of all these conditions, empty without any, and its values. */
export function allOf(...conditions: Conditions[]): { where: string; values: Values } {
  const texts = conditions.flatMap(({ texts }) => texts);
  return {
    where: texts.length === 0 ? "" : `WHERE ${texts.join(" AND ")}`,
    values: Object.assign({}, ...conditions.map(({ values }) => values)),
  };
}

/** A condition of a query, with the values that it names. */
export type Condition = { text: string; values: Values };

/**
 * Selects the rows whose columns have these values, by id, between two ids. Columns, values and ids are expressions.
 * The index that the page needs has the columns of `equal` in this order, then the id, then those of `others`, if there are some.
 */
export type Seek = (
  equal: Columns,
  ids: { above?: string | undefined; below?: string | undefined },
  order: Direction,
  others?: Columns,
) => { where: string; orderBy: string };

type Columns = Readonly<Record<string, string>>;

const comparing = (columns: Columns, prefix = "") =>
  Object.entries(columns).map(([column, value]) => `${prefix}${column} = ${value}`);

/**
 * Compares each column alone. Without statistics an engine uses the index with the most columns: a plus sign keeps SQLite from
 * those of `others`.
 */
export const seekByValues: Seek = (equal, { above, below }, order, others = {}) => {
  const conditions = [...comparing(equal), ...comparing(others, "+")];
  if (above !== undefined) conditions.push(`id > ${above}`);
  if (below !== undefined) conditions.push(`id < ${below}`);
  return { where: conditions.join(" AND "), orderBy: `id ${order}` };
};

/**
 * Compares the columns and the id as one position. Only one index has this order. A planner that expects the values to be
 * frequent would walk the ids instead, for millions of rows if they are rare or late. Before version 18, PostgreSQL stops only at
 * the end of the first column of a position. So between two ids each column is compared by itself, the first as an element of an
 * array: then it stays in the order. The planner knows these values.
 */
export const seekByPosition: Seek = (equal, { above, below }, order, others = {}) => {
  const [columns, values] = [Object.keys(equal), Object.values(equal)];
  const compare = (operator: "<" | ">", id?: string) =>
    id === undefined
      ? columns.length > 0 && `(${columns.join(", ")}) ${operator}= (${values.join(", ")})`
      : `(${[...columns, "id"].join(", ")}) ${operator} (${[...values, id].join(", ")})`;
  const between = [
    ...comparing(equal).map((text, i) => (i === 0 ? `${columns[0]} = ANY (ARRAY[${values[0]}])` : text)),
    `id > ${above}`,
    `id < ${below}`,
  ];
  const isBetween = above !== undefined && below !== undefined;
  return {
    where: [...(isBetween ? between : [compare(">", above), compare("<", below)]), ...comparing(others)]
      .filter((condition) => condition !== false)
      .join(" AND "),
    orderBy: [...columns, "id"].map((column) => `${column} ${order}`).join(", "),
  };
};

export function among(ids: readonly bigint[]): Condition {
  const values = Object.fromEntries(ids.map((id, i) => [`id${i}`, id]));
  return { text: `id IN (${Object.keys(values).map((name) => `:${name}`)})`, values };
}

/** Returns the statement of a page: the first `limit` rows by id that satisfy all conditions. */
export function pageQuery(select: string, limit: number, conditions: Condition[]): Statement {
  const where = conditions.length === 0 ? "" : ` WHERE ${conditions.map(({ text }) => text).join(" AND ")}`;
  return {
    text: `${select}${where} ORDER BY id LIMIT :limit`,
    values: Object.assign({ limit }, ...conditions.map(({ values }) => values)),
  };
}

/**
 * The version of a store's schema, 0 if there is none yet, and the version that this program uses: a lower one if a newer program
 * wrote the store, which this one may still use.
 */
export type SchemaVersions = { version: number; current: number };

/**
 * The version to which the first migration leads, on either engine. Schemas of checkouts from before the first release have lower
 * ones.
 */
const FIRST_VERSION = 48;

/**
 * Programs of this version of the schema and later ones may use a store that has all migrations. An additive migration leaves it
 * alone: a table, an index, a column with a default. Any other raises it to the version to which it leads.
 */
export const OLDEST_VERSION = FIRST_VERSION;

/** The version to which all of these migrations lead. */
export function currentVersion(migrations: readonly unknown[]): number {
  return FIRST_VERSION + migrations.length - 1;
}

/** The migrations that a schema of this version lacks, each with the version to which it leads. */
export function pending<Migration>(migrations: readonly Migration[], version: number): [number, Migration][] {
  return migrations
    .map((migration, i): [number, Migration] => [FIRST_VERSION + i, migration])
    .filter(([to]) => to > version);
}

/**
 * `oldest`: what the store recorded as OLDEST_VERSION; 0 for none. `store` names the database in the message.
 * @throws StartupError when this program is too old for a store of this version
 */
export function requireSupported(
  { version, oldest }: { version: number; oldest: number },
  current: number,
  store: string,
) {
  if (version <= current || (oldest > 0 && oldest <= current)) return;
  throw new StartupError(
    `${store} was written by a newer petstore (schema ${version}, this one supports ${current}). Run that version, or restore a backup made with this one.`,
  );
}

/**
 * `store` names the database in the message.
 * @throws StartupError when the schema is from before the first release: no migration leads from it to another
 */
export function requireReleased(version: number, store: string): void {
  if (version === 0 || version >= FIRST_VERSION) return;
  throw new StartupError(
    `${store} has schema ${version} of a checkout from before the first release, and cannot be brought up to date. With that checkout, export its categories and pets (\`petstore categories export\`, \`petstore pets export\`). With this version, import both into a new database (\`petstore categories import\`, \`petstore pets import\`): pets get new ids. Orders, keys and operators cannot be carried over: create them again.`,
  );
}
