import type { Action, Entry, RecordedEntry } from "../../domain/audit/entry.ts";
import type { AuditLog, EntriesPage } from "../../domain/audit/log.ts";
import { parseJson } from "../../domain/json/parse.ts";
import { toJson } from "../../domain/json/write.ts";
import type { Row, Sql, Write } from "./sql.ts";

/** The audit log, which is append-only. */
export class SqlAuditLog implements AuditLog {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async append(entry: Entry): Promise<void> {
    await this.#sql.commit(insertEntry(entry));
  }

  async list({ limit, before = Number.MAX_SAFE_INTEGER, target }: EntriesPage): Promise<RecordedEntry[]> {
    const where = target === undefined ? "" : "target = :target AND";
    const text = `SELECT * FROM petstore.audit WHERE ${where} id < :before ORDER BY id DESC LIMIT :limit`;
    const rows = await this.#sql.all(text, { before, limit, ...(target !== undefined && { target }) });
    return rows.map(entryOf);
  }
}

/** Returns the statement that adds an entry, for the transaction of its change. */
export function insertEntry({ at, operator, action, target, before, after, requestId }: Entry): Write {
  return {
    text: `INSERT INTO petstore.audit
             (at, operator_id, operator_name, action, target, before_json, after_json, request_id)
           VALUES (:at, :operatorId, :operatorName, :action, :target, :before, :after, :requestId)`,
    values: {
      at,
      operatorId: operator.id ?? null,
      operatorName: operator.name,
      action,
      target: target ?? null,
      before: before === undefined ? null : toJson(before),
      after: after === undefined ? null : toJson(after),
      requestId: requestId ?? null,
    },
  };
}

function entryOf(row: Row): RecordedEntry {
  return {
    id: Number(row.id),
    at: Number(row.at),
    operator: { ...(row.operator_id !== null && { id: String(row.operator_id) }), name: String(row.operator_name) },
    action: row.action as Action,
    ...(row.target !== null && { target: String(row.target) }),
    ...(row.before_json !== null && { before: parsed(row.before_json) }),
    ...(row.after_json !== null && { after: parsed(row.after_json) }),
    ...(row.request_id !== null && { requestId: String(row.request_id) }),
  };
}

function parsed(text: unknown): unknown {
  return parseJson(new TextEncoder().encode(String(text)));
}
