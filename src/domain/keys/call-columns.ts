import { type Activity, addCalls, type DeprecatedCalls, noActivity } from "./activity.ts";
import type { KeyColumns } from "./columns.ts";

/** A key's calls of a deprecated operation, as a row of a table of ours has them, on every engine. */
export function callsOf({ calls, last_called_at, user_agent }: KeyColumns): DeprecatedCalls {
  const counted = { calls: Number(calls), lastCalledAt: Number(last_called_at) };
  return { ...counted, ...(user_agent !== null && { userAgent: String(user_agent) }) };
}

/** The calls of all keys: by operation, then by key id. */
export function callsByOperation(rows: KeyColumns[]): Activity["deprecated"] {
  const all = noActivity();
  for (const row of rows) addCalls(all, String(row.operation), String(row.key_id), callsOf(row));
  return all.deprecated;
}
