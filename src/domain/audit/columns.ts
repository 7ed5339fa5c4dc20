import { parseJson } from "../json/parse.ts";
import { toJson } from "../json/write.ts";
import type { Action, Entry, RecordedEntry } from "./entry.ts";

/** An entry as tables keep it, on every engine, in the order of their columns: what was and what is as JSON texts. */
export const columns = [
  "at",
  "operator_id",
  "operator_name",
  "action",
  "target",
  "before_json",
  "after_json",
  "request_id",
] as const;

/** An entry's values, in the order of `columns`. */
export function valuesOf({
  at,
  operator,
  action,
  target,
  before,
  after,
  requestId,
}: Entry): (string | number | null)[] {
  return [
    at,
    operator.id ?? null,
    operator.name,
    action,
    target ?? null,
    textOf(before),
    textOf(after),
    requestId ?? null,
  ];
}

/** The entry that a row of a table of ours holds. */
export function entryOf(row: Readonly<Record<string, unknown>>): RecordedEntry {
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

function textOf(value: unknown): string | null {
  return value === undefined ? null : toJson(value);
}

function parsed(text: unknown): unknown {
  return parseJson(new TextEncoder().encode(String(text)));
}
