import { columns, entryOf, valuesOf } from "../../domain/audit/columns.ts";
import type { Entry, RecordedEntry } from "../../domain/audit/entry.ts";
import type { AuditLog, EntriesPage } from "../../domain/audit/log.ts";
import { type Database, read } from "./database.ts";

const INSERT = `INSERT INTO audit (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;

/** Adds an entry inside a transaction that the caller runs with `Database.write`. */
export function insertEntry(database: Database, entry: Entry): void {
  database.prepare(INSERT).run(...valuesOf(entry));
}

/** The audit log in a SQLite file, whose triggers refuse to change it. */
export class SqliteAuditLog implements AuditLog {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  append(entry: Entry): Promise<void> {
    return this.#database.write(() => insertEntry(this.#database, entry));
  }

  list({ limit, before = Number.MAX_SAFE_INTEGER, target }: EntriesPage): RecordedEntry[] {
    const where = target === undefined ? "" : "target = ? AND ";
    const sql = `SELECT * FROM audit WHERE ${where}id < ? ORDER BY id DESC LIMIT ?`;
    const values = [...(target === undefined ? [] : [target]), before, limit];
    return read(() => this.#database.prepare(sql).all(...values)).map(entryOf);
  }
}
