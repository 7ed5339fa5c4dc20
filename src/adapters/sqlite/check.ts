import { existsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { messageOf, StartupError } from "../../domain/errors.ts";
import { OrderStatus } from "../../domain/orders.ts";
import { nameKey, PetStatus } from "../../domain/pets.ts";
import { pending } from "../sql/sql.ts";
import { PAGE_BYTES } from "./counters.ts";
import { IN_MEMORY, openError } from "./errors.ts";
import { openReadOnly, requireIndex } from "./files.ts";
import { HighWaterMarkFile, type IdRange, lastIdIn, lostIds, skipEventIds } from "./ids.ts";
import {
  APPLICATION_ID,
  currentVersionFor,
  identityOf,
  migrate,
  requirePetstoreFile,
  type StoreFile,
} from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { connect } from "./open.ts";

/** The contents of a database file. `version` is the schema's. */
export type Contents = { version: number; pets: number; orders: number; keys: number };

/**
 * Opens a file read-only, which may be damaged. It does not change the file's log either.
 * @throws StartupError when it is not a Petstore database, belongs to the other deployment, or cannot be read at all
 */
export function openToRead(file: StoreFile): DatabaseSync {
  const { path } = file;
  requireFile(path);
  requireIndex(path);
  let database: DatabaseSync | undefined;
  try {
    database = openReadOnly(path);
    const { applicationId, version } = identityOf(database);
    if (applicationId !== APPLICATION_ID || version === 0) {
      throw new StartupError(`${path} is a database, but not a petstore's.`);
    }
    requirePetstoreFile(database, file);
    return database;
  } catch (error) {
    database?.close();
    throw openError(path, error);
  }
}

export function contentsOf(database: DatabaseSync): Contents {
  const count = (table: "pets" | "orders" | "keys") =>
    Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count);
  return { version: identityOf(database).version, pets: count("pets"), orders: count("orders"), keys: count("keys") };
}

/** SQLite would create a missing file. @throws StartupError when the file does not exist */
export function requireFile(path: string): void {
  if (!existsSync(path)) throw new StartupError(`There is no file ${path}.`);
  if (!statSync(path).isFile()) throw new StartupError(`${path} is not a file.`);
}

/** What SQLite finds wrong with a file, at most MAX_PROBLEMS. Takes about half a second for a million pets. */
function integrityProblems(database: DatabaseSync): string[] {
  try {
    const found = database.prepare(`PRAGMA integrity_check(${MAX_PROBLEMS})`).all();
    return found.map((row) => String(row.integrity_check)).filter((problem) => problem !== "ok");
  } catch (error) {
    return [messageOf(error)];
  }
}

/**
 * What is wrong with a database file: nothing if there are no problems, and no ids of acknowledged pets that are lost, which is not
 * known of one whose high-water mark is damaged.
 */
export type DatabaseCheck = { problems: string[]; lost: IdRange | undefined; damagedMark?: string | undefined };

/** The most problems of each kind to report. */
const MAX_PROBLEMS = 20;

/** 64 MiB: SQLite looks each pet up in each index, and takes twice as long with the cache of the service. */
const CACHE = "PRAGMA cache_size = -65536";

/** Columns that are decoded, and when they can be. SQLite checks the others: an index has a copy of each column of a pet. */
const DECODED_COLUMNS = [
  ["limit_windows", "numbers", `length(numbers) = ${PAGE_BYTES}`],
  ["limit_windows", "others", "json_valid(others)"],
  ["audit", "before_json", "json_valid(before_json)"],
  ["audit", "after_json", "json_valid(after_json)"],
  ["imports", "entry", "json_valid(entry)"],
] as const;

/**
 * Reads a whole database file, which a service may be using, and looks for damage.
 * @throws StartupError when it is not a Petstore database, belongs to the other deployment, or cannot be read at all
 */
export function checkDatabase(file: StoreFile): DatabaseCheck {
  using database = openToRead(file);
  using mark = new HighWaterMarkFile(file.path);
  // First the mark: a service may be adding pets.
  const given = mark.read();
  const problems = new Set(problemsIn(database, file));
  const [lost] = attempt(problems, () => [lostIds(given, lastIdIn(database))]);
  return { problems: [...problems], lost, damagedMark: mark.isDamaged ? mark.path : undefined };
}

/** Has lost pets no longer reported. Their ids are not given again. A service may use the database. @throws StartupError */
export function acceptLoss(file: StoreFile): void {
  using database = connect(file);
  // Nobody adds a pet meanwhile.
  database.exec("BEGIN IMMEDIATE");
  skipEventIds(database);
  database.exec("COMMIT; BEGIN IMMEDIATE");
  using mark = new HighWaterMarkFile(file.path);
  mark.replace(lastIdIn(database));
}

/**
 * What is wrong with the pages, the schema, the references, the decoded columns, the blocks, the values and the totals of an open
 * file, at most MAX_PROBLEMS of each kind.
 */
export function problemsIn(database: DatabaseSync, file: StoreFile): string[] {
  database.exec(CACHE);
  const problems = new Set(integrityProblems(database));
  for (const problem of attempt(problems, () => schemaProblems(database, file))) problems.add(problem);
  for (const problem of attempt(problems, () => referenceProblems(database))) problems.add(problem);
  for (const problem of attempt(problems, () => decodingProblems(database))) problems.add(problem);
  for (const problem of attempt(problems, () => blockProblems(database))) problems.add(problem);
  for (const problem of attempt(problems, () => contentProblems(database, file))) problems.add(problem);
  return [...problems];
}

/** What `read` finds; nothing if it cannot read, which is a problem too. */
export function attempt<T>(problems: Set<string>, read: () => T[]): T[] {
  try {
    return read();
  } catch (error) {
    problems.add(messageOf(error));
    return [];
  }
}

/**
 * The schema, without what SQLite itself adds: the tables in which a virtual table keeps its rows, and the statistics of its
 * query planner.
 */
const SCHEMA = `SELECT type || ' ' || name AS object, tbl_name || char(10) || coalesce(sql, '') AS definition
  FROM sqlite_schema WHERE name NOT GLOB 'sqlite_stat*'
  AND name NOT IN (SELECT shadow.name FROM pragma_table_list AS shadow WHERE shadow.type = 'shadow')`;

/** How the schema differs from that of a new database of the same version: a trigger, say, that is missing or nobody knows. */
function schemaProblems(database: DatabaseSync, file: StoreFile): string[] {
  const { version } = identityOf(database);
  // What a newer one adds is not known here.
  if (version > currentVersionFor(file)) return [];
  const known = pending(file.migrations ?? migrations, 0).filter(([to]) => to <= version);
  using model = new DatabaseSync(IN_MEMORY);
  migrate(model, { ...file, path: IN_MEMORY, migrations: known.map(([, migration]) => migration) });
  const expected = definitionsIn(model);
  const found = definitionsIn(database);
  const problems = [...new Set([...expected.keys(), ...found.keys()])].flatMap((object) => {
    if (!found.has(object)) return [`the ${object} is missing`];
    if (!expected.has(object)) return [`the ${object} does not belong to a petstore`];
    return expected.get(object) === found.get(object) ? [] : [`the ${object} is not defined as in a new database`];
  });
  return problems.slice(0, MAX_PROBLEMS);
}

function definitionsIn(database: DatabaseSync): Map<string, string> {
  const rows = database.prepare(SCHEMA).all();
  return new Map(rows.map(({ object, definition }) => [String(object), String(definition)]));
}

function referenceProblems(database: DatabaseSync): string[] {
  const rows = database.prepare("PRAGMA foreign_key_check").all().slice(0, MAX_PROBLEMS);
  return rows.map((row) => `a row of ${row.table} refers to a missing row of ${row.parent}`);
}

function decodingProblems(database: DatabaseSync): string[] {
  return DECODED_COLUMNS.flatMap(([table, column, isValid]) => {
    const where = `${column} IS NOT NULL AND NOT ${isValid}`;
    const count = Number(database.prepare(`SELECT count(*) AS count FROM ${table} WHERE ${where}`).get()?.count);
    return count > 0 ? [`${count} rows of ${table} cannot be decoded: ${column}`] : [];
  });
}

/** SQLite does not know that `pet_blocks` is an index of the pets: each block has a pet of the status, and each pet a block. */
function blockProblems(database: DatabaseSync): string[] {
  const problems = [
    `SELECT status, id >> 5 FROM pets NOT INDEXED EXCEPT SELECT pet_status, block FROM pet_blocks LIMIT 1`,
    `SELECT 1 FROM pet_blocks WHERE NOT EXISTS (
       SELECT 1 FROM pets NOT INDEXED WHERE id BETWEEN block << 5 AND block << 5 | 31 AND status = pet_status) LIMIT 1`,
  ];
  const isDamaged = problems.some((query) => database.prepare(query).get() !== undefined);
  return isDamaged ? ["pet_blocks does not agree with pets"] : [];
}

/** Values that the code does not write, and totals that do not agree with what they count. Each is found in one statement. */
function contentProblems(database: DatabaseSync, file: StoreFile): string[] {
  // A newer version may write others.
  if (identityOf(database).version > currentVersionFor(file)) return [];
  database.function("name_key_of", { deterministic: true }, (name) => nameKey(String(name)));
  return [
    ...statusProblems(database, "pets", PetStatus.options),
    ...statusProblems(database, "orders", OrderStatus.options),
    ...wrongRows(database, "pets", "name_key <> name_key_of(name)", "another name_key than that of their name"),
    ...wrongRows(database, "categories", "name_key <> name_key_of(name)", "another name_key than that of their name"),
    ...wrongTotal(database, "key_total", "keys", "count(*) <> 1 OR sum(keys) <> (SELECT count(*) FROM keys)"),
  ];
}

function statusProblems(database: DatabaseSync, table: "pets" | "orders", statuses: readonly string[]): string[] {
  const known = statuses.map((status) => `'${status}'`).join();
  const counted = `SELECT status, count(*) AS n FROM ${table} GROUP BY status`;
  const differences = statuses.map(
    (status) => `coalesce(sum(${status}), -1) <> coalesce((SELECT n FROM counted WHERE status = '${status}'), 0)`,
  );
  return [
    ...wrongRows(database, table, `status NOT IN (${known})`, "an unknown status"),
    ...wrongTotal(database, "inventory", table, differences.join(" OR "), `WITH counted AS MATERIALIZED (${counted})`),
  ];
}

function wrongRows(database: DatabaseSync, table: string, isWrong: string, what: string): string[] {
  const count = Number(database.prepare(`SELECT count(*) AS count FROM ${table} WHERE ${isWrong}`).get()?.count);
  return count > 0 ? [`${count} rows of ${table} have ${what}`] : [];
}

function wrongTotal(database: DatabaseSync, total: string, table: string, isWrong: string, and = ""): string[] {
  const row = database.prepare(`${and} SELECT ${isWrong} AS wrong FROM ${total}`).get();
  return Number(row?.wrong) === 0 ? [] : [`${total} does not agree with ${table}`];
}
