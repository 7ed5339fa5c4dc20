import { migrations as ofPostgres } from "../../src/adapters/postgres/migrations.ts";
import { migrations as ofSqlite } from "../../src/adapters/sqlite/migrations.ts";

/** What a later version adds to the schema of SQLite: a column, by a copy of a table to which foreign keys refer. */
export const NEXT_ON_SQLITE = `
  CREATE TABLE new_operators (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL, token_hash TEXT UNIQUE,
    created_at INTEGER NOT NULL, revoked_at INTEGER, provider TEXT, subject TEXT, language TEXT
  ) STRICT, WITHOUT ROWID;
  INSERT INTO new_operators SELECT *, NULL FROM operators;
  DROP TABLE operators;
  ALTER TABLE new_operators RENAME TO operators;`;

/** The same for PostgreSQL, and an index. */
export const NEXT_ON_POSTGRES: string[] = [
  "ALTER TABLE petstore.operators ADD COLUMN IF NOT EXISTS language TEXT",
  "CREATE INDEX IF NOT EXISTS pets_by_version ON petstore.pets (version, id)",
];

/** The migrations of a later version. */
export const nextOnSqlite: string[] = [...ofSqlite, NEXT_ON_SQLITE];
export const nextOnPostgres: string[][] = [...ofPostgres, NEXT_ON_POSTGRES];

/** A column for each table that a migration may widen: triggers of SQLite fill two without a list of columns. */
export const WIDER_ON_SQLITE: string = tablesIn(ofSqlite)
  .filter((table) => !["pet_blocks", "deprecated_totals"].includes(table))
  .map((table) => `ALTER TABLE ${table} ADD COLUMN remark TEXT DEFAULT 'none';`)
  .join("\n");
export const WIDER_ON_POSTGRES: string[] = tablesIn(ofPostgres.flat()).map(
  (table) => `ALTER TABLE petstore.${table} ADD COLUMN IF NOT EXISTS remark TEXT DEFAULT 'none'`,
);

function tablesIn(statements: string[]): string[] {
  const created = /^CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS petstore\.)?(\w+)/gm;
  return statements.flatMap((statement) => Array.from(statement.matchAll(created), ([, table = ""]) => table));
}
