import { newEvent } from "../../domain/changes.ts";
import { orderJson } from "../../domain/orders.ts";
import { timestampOf } from "../../domain/time.ts";
import { orderOf } from "./orders.ts";
import { count } from "./pets.ts";
import { insertEntry, insertEvent } from "./records.ts";
import type { Row, Seek, Sql, Transaction, Values } from "./sql.ts";

/** What an operator can have deleted once it is old. */
export type Retained = "audit" | "orders" | "keys";
export type RetentionTask = { kind: Retained; before: number; now: number };

/** Rows that are deleted some time after they ended. */
type Ended = {
  table: string;
  /** The column by which they are deleted. */
  key: string;
  /** The columns of an index, with values before its first row. With a status, the index begins with that. */
  start: Values;
  status?: string;
  where?: string;
  /** The column with the time when a row ended (Unix ms). */
  ended: string;
  /** The column of an earlier time, in whose order the index has the rows but for a moment. By default `ended`. */
  began?: string;
  /** How many rows a transaction reads. SQLite deletes as many in less than 2 ms, in which requests wait. */
  batch: number;
  /** What else is deleted or changed, before the rows and after them. */
  before?: (old: Row[]) => Transaction<void>;
  after?: (old: Row[], task: RetentionTask) => Transaction<void>;
};

/** The values of a column as parameters, as many as a whole batch has: so each batch is the same statement. */
function listed(column: string, rows: Row[], size: number): { list: string; values: Values } {
  const values = Array.from({ length: size }, (_, i) => String(rows[Math.min(i, rows.length - 1)]?.[column]));
  return {
    list: values.map((_, i) => `:${column}${i}`).join(", "),
    values: Object.fromEntries(values.map((value, i) => [`${column}${i}`, value])),
  };
}

const closedOrders = {
  table: "orders",
  key: "id",
  began: "created_at",
  ended: "updated_at",
  batch: 100,
  *after(old: Row[], { now }: RetentionTask): Transaction<void> {
    for (const before of old.map(orderOf)) {
      yield insertEvent(newEvent({ action: "order.delete", json: orderJson, before }, { now }));
    }
    yield count({ [String(old[0]?.status)]: -old.length });
  },
};

const KEYS_AT_ONCE = 10;

/** The rows of each kind. docs/data.md names the time from which on they are old. */
export const kinds: Record<Retained, Ended[]> = {
  audit: [{ table: "audit", key: "id", start: { at: 0, id: 0 }, ended: "at", batch: 30 }],
  orders: [
    { ...closedOrders, start: { id: 0 }, status: "cancelled" },
    { ...closedOrders, start: { id: 0 }, status: "delivered" },
  ],
  keys: [
    {
      table: "keys",
      key: "id",
      start: { created_at: 0, id: "" },
      where: "revoked_at IS NOT NULL",
      began: "created_at",
      ended: "revoked_at",
      batch: KEYS_AT_ONCE,
      *before(old) {
        const { list, values } = listed("id", old, KEYS_AT_ONCE);
        yield { text: `DELETE FROM petstore.secrets WHERE key_id IN (${list})`, values };
        yield { text: `DELETE FROM petstore.deprecated_calls WHERE key_id IN (${list})`, values };
      },
    },
    {
      table: "secrets",
      key: "hash",
      start: { expires_at: 0, hash: "" },
      where: "expires_at IS NOT NULL",
      ended: "expires_at",
      batch: KEYS_AT_ONCE,
      // A search does not find a key by what it had. A rotation changes the row of the key too, so it comes before or after.
      *after(old) {
        const { list, values } = listed("key_id", old, KEYS_AT_ONCE);
        yield { text: `SELECT id FROM petstore.keys WHERE id IN (${list}) ORDER BY id FOR UPDATE`, values };
        yield {
          text: `UPDATE petstore.keys SET last_fours = (SELECT coalesce(string_agg(lower(last_four), ' '), '')
                   FROM petstore.secrets WHERE key_id = keys.id) WHERE id IN (${list})`,
          values,
        };
      },
    },
    {
      table: "deprecated_calls",
      key: "key_id",
      start: { last_called_at: 0, key_id: "", operation: "" },
      ended: "last_called_at",
      batch: 50,
    },
  ],
};

/**
 * Deletes what ended before `before` (Unix ms), in small transactions, and yields after each how many rows it deleted. The first
 * that deletes has an entry in the audit log, at `now`. Nodes do not wait for each other. @throws service_unavailable
 */
export async function* deleteEnded(sql: Sql, task: RetentionTask): AsyncGenerator<number> {
  for (const ended of kinds[task.kind]) {
    for (let position: Values | undefined = ended.start; position !== undefined; ) {
      const rows: Row[] = await sql.all(selectPage(ended, sql.seek), position);
      const old = rows.filter((row) => Number(row[ended.ended]) < task.before);
      yield old.length === 0 ? 0 : await sql.transaction(() => deleteRows(ended, old, task));
      position = positionAfter(rows, ended, task.before);
    }
  }
}

function selectPage({ table, start, status, where = "true", batch }: Ended, seek: Seek): string {
  const columns = Object.keys(start).join(", ");
  const page =
    status === undefined
      ? { where: `(${columns}) > (:${columns.replaceAll(", ", ", :")})`, orderBy: columns }
      : seek({ status: `'${status}'` }, { above: ":id" }, "asc");
  return `SELECT * FROM petstore.${table} WHERE ${page.where} AND ${where} ORDER BY ${page.orderBy} LIMIT ${batch}`;
}

/** Returns the position of the last row of a page; undefined if no later row began early enough. */
function positionAfter(rows: Row[], { start, ended, began = ended, batch }: Ended, before: number): Values | undefined {
  const last = rows.at(-1);
  if (last === undefined || rows.length < batch || Number(last[began]) >= before) return undefined;
  return Object.fromEntries(Object.keys(start).map((column) => [column, String(last[column])]));
}

/** Returns how many of these rows it deleted, unless they have changed, or another node deletes them. */
function* deleteRows(
  { table, key, ended, batch, ...also }: Ended,
  rows: Row[],
  task: RetentionTask,
): Transaction<number> {
  const { list, values } = listed(key, rows, batch);
  const condition = `${key} IN (${list}) AND ${ended} < :before`;
  const timed = { ...values, before: task.before };
  const old = yield {
    text: `SELECT * FROM petstore.${table} WHERE ${condition} FOR UPDATE SKIP LOCKED`,
    values: timed,
  };
  if (old.length === 0) return 0;
  yield* recordOnce(task);
  if (also.before !== undefined) yield* also.before(old);
  const locked = listed(key, old, batch);
  yield { text: `DELETE FROM petstore.${table} WHERE ${condition}`, values: { ...timed, ...locked.values } };
  if (also.after !== undefined) yield* also.after(old, task);
  return old.length;
}

/** The database allows only what such an entry announces to be deleted from the log: see the migrations. */
function* recordOnce({ kind, before, now }: RetentionTask): Transaction<void> {
  const after = { before: timestampOf(before) };
  const [newest] = yield {
    text: `SELECT after_json FROM petstore.audit WHERE target = :kind AND action = 'retention.delete'
           ORDER BY id DESC LIMIT 1`,
    values: { kind },
  };
  if (newest?.after_json === JSON.stringify(after)) return;
  yield insertEntry({ at: now, operator: { name: "retention" }, action: "retention.delete", target: kind, after });
}
