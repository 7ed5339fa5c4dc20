import { csvRows } from "../adapters/files/csv-table.ts";
import type { Caller, CallerPosition, Counters } from "../domain/keys/store.ts";
import { timestampOf } from "../domain/time.ts";

const PAGE_SIZE = 500;
const HEADER = ["operation", "keyId", "keyName", "calls", "lastCalledAt", "userAgent", "ownerName", "ownerEmail"];

/** Yields the callers of a deprecated operation, or of all, as CSV. In the order of ids, each caller comes once. */
export async function* exportCallers(
  counters: Pick<Counters, "callers">,
  operation: string | undefined,
): AsyncGenerator<string> {
  yield csvRows([HEADER]);
  let after: CallerPosition | undefined;
  do {
    const page = await counters.callers({ operation, order: "keyId", limit: PAGE_SIZE, after });
    if (page.length > 0) yield csvRows(page.map(fieldsOf));
    after = page.length === PAGE_SIZE ? page.at(-1) : undefined;
  } while (after !== undefined);
}

function fieldsOf({ operation, keyId, keyName, calls, lastCalledAt, userAgent = "", owner }: Caller): string[] {
  const { name = "", email = "" } = owner ?? {};
  return [operation, keyId, keyName, String(calls), timestampOf(lastCalledAt), userAgent, name, email];
}
