import { columns, entryOf, valuesOf } from "../../domain/audit/columns.ts";
import type { Entry, RecordedEntry } from "../../domain/audit/entry.ts";
import type { AuditLog, EntriesPage } from "../../domain/audit/log.ts";
import type { Database, Statement } from "./database.ts";

/** The types of `columns`, for values that stand in a SELECT. */
const types = columns.map((column) => (column === "at" ? "bigint" : "text"));

/**
 * The part of a statement that logs an entry for the row of `changed`, another part of it, if there is one. The values of
 * the entry, `valuesOf` it, are the parameters from `$first` on.
 */
export function logged(changed: string, first: number): string {
  const values = types.map((type, i) => `$${first + i}::${type}`);
  return `INSERT INTO petstore.audit (${columns.join(", ")}) SELECT ${values.join(", ")} FROM ${changed}`;
}

const APPEND: Statement = { name: "petstore_append_audit", text: logged("(SELECT 1) AS once", 1) };
const LIST: Statement = {
  name: "petstore_audit",
  text: "SELECT * FROM petstore.audit WHERE id < $1 ORDER BY id DESC LIMIT $2",
};
const OF_TARGET: Statement = {
  name: "petstore_audit_of_target",
  text: "SELECT * FROM petstore.audit WHERE target = $3 AND id < $1 ORDER BY id DESC LIMIT $2",
};

/** The audit log in PostgreSQL. Nothing here changes or removes an entry. */
export class PostgresAuditLog implements AuditLog {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async append(entry: Entry): Promise<void> {
    await this.#database.query(APPEND, valuesOf(entry));
  }

  async list({ limit, before = Number.MAX_SAFE_INTEGER, target }: EntriesPage): Promise<RecordedEntry[]> {
    const values = [before, limit, ...(target === undefined ? [] : [target])];
    return (await this.#database.query(target === undefined ? LIST : OF_TARGET, values)).map(entryOf);
  }
}
