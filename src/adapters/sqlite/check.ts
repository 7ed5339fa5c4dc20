import type { DatabaseSync } from "node:sqlite";
import { LimitPage } from "../../domain/limits/limit-page.ts";
import { reasonOf } from "./errors.ts";
import { type IdRange, lostIds } from "./high-water-mark.ts";
import { HighWaterMarkFile } from "./high-water-mark-file.ts";
import { lastIdIn } from "./ids.ts";
import { integrityProblems, openToRead } from "./inspect.ts";
import type { StoreFile } from "./migrate.ts";
import { NUMBERS_BYTES } from "./migrations/0025-limit-windows.ts";

/** What is wrong with a database file: nothing if there are no problems, and no ids of acknowledged pets that are lost. */
export type DatabaseCheck = { problems: string[]; lost: IdRange | undefined };

/** The most problems of each kind to report. */
const MAX_PROBLEMS = 20;

/** 64 MiB: SQLite looks each pet up in each index, and takes twice as long with the cache of the service. */
const CACHE = "PRAGMA cache_size = -65536";

/** Columns that are decoded, and when they can be. SQLite checks the others: an index has a copy of each column of a pet. */
const DECODED_COLUMNS = [
  ["counters", "usage", "json_valid(usage)"],
  ["limit_pages", "numbers", `length(numbers) IN (0, ${NUMBERS_BYTES})`],
  ["limit_pages", "others", "json_valid(others)"],
  ["limit_windows", "numbers", `length(numbers) IN (0, ${new LimitPage().numbers.byteLength})`],
  ["limit_windows", "others", "json_valid(others)"],
  ["audit", "before_json", "json_valid(before_json)"],
  ["audit", "after_json", "json_valid(after_json)"],
] as const;

/**
 * Reads a whole database file, which a service may be using, and looks for damage.
 * @throws StartupError when it is not a Petstore database, belongs to the other deployment, or cannot be read at all
 */
export function checkDatabase(file: StoreFile): DatabaseCheck {
  const database = openToRead(file);
  using mark = new HighWaterMarkFile(file.path);
  try {
    // First the mark: a service may be adding pets.
    const given = mark.read();
    const problems = new Set(problemsIn(database));
    const [lost] = attempt(problems, () => [lostIds(given, lastIdIn(database))]);
    return { problems: [...problems], lost };
  } finally {
    database.close();
  }
}

/**
 * What is wrong with the pages, the references, the decoded columns and the blocks of a database, at most MAX_PROBLEMS of each
 * kind.
 */
export function problemsIn(database: DatabaseSync): string[] {
  database.exec(CACHE);
  const problems = new Set(integrityProblems(database, MAX_PROBLEMS));
  for (const problem of attempt(problems, () => referenceProblems(database))) problems.add(problem);
  for (const problem of attempt(problems, () => decodingProblems(database))) problems.add(problem);
  for (const problem of attempt(problems, () => blockProblems(database))) problems.add(problem);
  return [...problems];
}

/** What `read` finds; nothing if it cannot read, which is a problem too. */
function attempt<T>(problems: Set<string>, read: () => T[]): T[] {
  try {
    return read();
  } catch (error) {
    problems.add(reasonOf(error));
    return [];
  }
}

function referenceProblems(database: DatabaseSync): string[] {
  const rows = database.prepare("PRAGMA foreign_key_check").all().slice(0, MAX_PROBLEMS);
  return rows.map((row) => `a row of ${row.table} refers to a missing row of ${row.parent}`);
}

function decodingProblems(database: DatabaseSync): string[] {
  return DECODED_COLUMNS.filter(([table]) => hasTable(database, table)).flatMap(([table, column, isValid]) => {
    const where = `${column} IS NOT NULL AND NOT ${isValid}`;
    const count = Number(database.prepare(`SELECT count(*) AS count FROM ${table} WHERE ${where}`).get()?.count);
    return count > 0 ? [`${count} rows of ${table} cannot be decoded: ${column}`] : [];
  });
}

/** SQLite does not know that `pet_blocks` is an index of the pets: each block has a pet of the status, and each pet a block. */
function blockProblems(database: DatabaseSync): string[] {
  if (!hasTable(database, "pet_blocks")) return [];
  const problems = [
    `SELECT status, id >> 5 FROM pets NOT INDEXED EXCEPT SELECT pet_status, block FROM pet_blocks LIMIT 1`,
    `SELECT 1 FROM pet_blocks WHERE NOT EXISTS (
       SELECT 1 FROM pets NOT INDEXED WHERE id BETWEEN block << 5 AND block << 5 | 31 AND status = pet_status) LIMIT 1`,
  ];
  const isDamaged = problems.some((query) => database.prepare(query).get() !== undefined);
  return isDamaged ? ["pet_blocks does not agree with pets"] : [];
}

/** The schema may be of an older version, without the table. */
function hasTable(database: DatabaseSync, table: string): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) !== undefined;
}
