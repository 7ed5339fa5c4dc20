import type { Action, Entry, RecordedEntry } from "../../domain/audit/entry.ts";
import { type AuditFilter, type AuditLog, type EntriesPage, MAX_CLOCK_DIFFERENCE } from "../../domain/audit/log.ts";
import { parseJson } from "../../domain/json/parse.ts";
import { toJson } from "../../domain/json/write.ts";
import type { Row, Sql, Values, Write } from "./sql.ts";

/** The audit log, which is append-only. */
export class SqlAuditLog implements AuditLog {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async append(entry: Entry): Promise<void> {
    await this.#sql.commit(insertEntry(entry));
  }

  async list({ limit, before = Number.MAX_SAFE_INTEGER, ...filter }: EntriesPage): Promise<RecordedEntry[]> {
    const conditions = [{ text: "id < :before", values: { before } }, ...conditionsOf(filter)];
    const where = conditions.map(({ text }) => text).join(" AND ");
    const values = Object.assign({ limit }, ...conditions.map((condition) => condition.values));
    const rows = await this.#sql.all(
      `SELECT * FROM petstore.audit WHERE ${where} ORDER BY id DESC LIMIT :limit`,
      values,
    );
    return rows.map(entryOf);
  }
}

type Condition = { text: string; values: Values };

/**
 * The conditions of a filter. Each is a range of an index that is ordered by id, so that a page reads few rows. Ids grow
 * with time, as exactly as the clocks of all nodes agree: a time is first turned into an id.
 */
function conditionsOf({ operator, action, target, from, to }: AuditFilter): Condition[] {
  const conditions: Condition[] = [];
  const add = (text: string, values: Values) => conditions.push({ text, values });
  if (operator?.startsWith("op_")) add("operator_id = :operator", { operator });
  else if (operator !== undefined) add("operator_name = :operator", { operator });
  if (action !== undefined) add("action = :action", { action });
  if (target !== undefined) add("target = :target", { target });
  // The plus keeps engines from sorting a range of times by id.
  if (from !== undefined) {
    const first = "SELECT id FROM petstore.audit WHERE at < :surelyBefore ORDER BY at DESC, id DESC LIMIT 1";
    add(`id >= coalesce((${first}), 0) AND +at >= :from`, { from, surelyBefore: from - MAX_CLOCK_DIFFERENCE });
  }
  if (to !== undefined) {
    const last = "SELECT id FROM petstore.audit WHERE at > :surelyAfter ORDER BY at, id LIMIT 1";
    const max = Number.MAX_SAFE_INTEGER;
    add(`id <= coalesce((${last}), ${max}) AND +at < :to`, { to, surelyAfter: to + MAX_CLOCK_DIFFERENCE });
  }
  return conditions;
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
