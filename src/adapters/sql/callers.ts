import type { DeprecatedCalls } from "../../domain/keys/activity.ts";
import type { Caller, CallerOrder, CallersPage, CallTotal } from "../../domain/keys/callers.ts";
import { ownedIn } from "./key-rows.ts";
import type { Row, Sql } from "./sql.ts";

const columnsOf: Record<CallerOrder, string[]> = {
  lastCalledAt: ["last_called_at", "key_id", "operation"],
  calls: ["calls", "key_id", "operation"],
  keyId: ["key_id", "operation"],
};

/** Lists the callers of deprecated operations. Each order has an index. */
export async function callersIn(sql: Sql, { operation, order, limit, after }: CallersPage): Promise<Caller[]> {
  const columns = columnsOf[order];
  const position = after && {
    last_called_at: after.lastCalledAt,
    calls: after.calls,
    key_id: after.keyId,
    operation: after.operation,
  };
  const conditions = [
    ...(operation === undefined ? [] : ["d.operation = :only"]),
    ...(position ? [`(${columns.map((one) => `d.${one}`).join(", ")}) < (:${columns.join(", :")})`] : []),
  ];
  const rows = await sql.all(
    `SELECT d.*, k.name AS key_name, k.owner_name, k.owner_email FROM petstore.deprecated_calls d LEFT JOIN petstore.keys k ON k.id = d.key_id
     ${conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : ""}
     ORDER BY ${columns.map((one) => `d.${one} DESC`).join(", ")} LIMIT :limit`,
    {
      ...(operation !== undefined && { only: operation }),
      ...Object.fromEntries(Object.entries(position ?? {}).filter(([name]) => columns.includes(name))),
      limit,
    },
  );
  return rows.map((row) => ({
    ...callsOf(row),
    operation: String(row.operation),
    keyId: String(row.key_id),
    keyName: row.key_name === null ? "" : String(row.key_name),
    ...ownedIn(row),
  }));
}

export async function callTotalIn(sql: Sql, operation: string): Promise<CallTotal> {
  const text = "SELECT callers, calls FROM petstore.deprecated_totals WHERE operation = :operation";
  const row = await sql.first(text, { operation });
  return { callers: Number(row?.callers ?? 0), calls: Number(row?.calls ?? 0) };
}

export function callsOf({ calls, last_called_at, user_agent }: Row): DeprecatedCalls {
  return {
    calls: Number(calls),
    lastCalledAt: Number(last_called_at),
    ...(user_agent !== null && { userAgent: String(user_agent) }),
  };
}
