import { setImmediate as nextTurn } from "node:timers/promises";
import type { WritableContent } from "../adapters/files/content.ts";
import { csvRows } from "../adapters/files/csv-table.ts";
import { auditEntries } from "../adapters/files/items.ts";
import { headerOf, linesOf } from "../adapters/files/write.ts";
import type { AuditFilter, AuditLog, RecordedEntry } from "../domain/audit.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import type { Format } from "../domain/files.ts";
import type { Caller, CallerPosition, Counters } from "../domain/keys/store.ts";
import { timestampOf } from "../domain/time.ts";

/** Items, and entries of the audit log, that are read at a time: reading and formatting them takes about a millisecond. */
const ITEMS = 100;
const AUDIT_ENTRIES = 25;
const CALLERS = 500;

/** Yields all items of a list after the id `start`, page by page, in the order of the list. */
export async function* pagesOf<Item extends { id: number | bigint }>(
  list: (page: { limit: number; after: bigint | undefined }) => Awaitable<Item[] & { readTo?: number }>,
  start?: bigint,
  limit = ITEMS,
): AsyncGenerator<Item[]> {
  let after = start;
  for (;;) {
    const page = await list({ limit, after });
    if (page.length > 0) yield page;
    const last = page.length < limit ? page.readTo : page.at(-1)?.id;
    if (last === undefined) return;
    after = BigInt(last);
  }
}

/** Yields pages of items as the text of a file. Calls `exported` with the size of each page. */
export async function* exportItems<Item>(
  pages: Iterable<Item[]> | AsyncIterable<Item[]>,
  content: WritableContent<Item>,
  format: Format,
  exported: (count: number) => void = () => {},
): AsyncGenerator<string> {
  const header = headerOf(format, content);
  if (header !== undefined) yield header;
  for await (const page of pages) {
    exported(page.length);
    yield linesOf(format, content, page);
    // A fast reader takes each page at once, and pages of SQLite are read at once: requests need a turn between them.
    await nextTurn();
  }
}

/** Yields the matching entries of the audit log, newest first, as the text of a file. */
export function exportAudit(audit: AuditLog, filter: AuditFilter, format: Format): AsyncGenerator<string> {
  return exportItems(auditPages(audit, filter), auditEntries, format);
}

/** Yields the matching entries after the id `start`, newest first, page by page. */
export function auditPages(audit: AuditLog, filter: AuditFilter, start?: bigint): AsyncGenerator<RecordedEntry[]> {
  const list = (limit: number, after: bigint | undefined) =>
    audit.list({ ...filter, limit, before: after === undefined ? undefined : Number(after) });
  return pagesOf(({ limit, after }) => list(limit, after), start, AUDIT_ENTRIES);
}

const HEADER = ["operation", "keyId", "keyName", "calls", "lastCalledAt", "userAgent", "ownerName", "ownerEmail"];

/** Yields the callers of a deprecated operation, or of all, as CSV. In the order of ids, each caller comes once. */
export async function* exportCallers(
  counters: Pick<Counters, "callers">,
  operation: string | undefined,
): AsyncGenerator<string> {
  yield csvRows([HEADER]);
  let after: CallerPosition | undefined;
  do {
    const page = await counters.callers({ operation, order: "keyId", limit: CALLERS, after });
    if (page.length > 0) yield csvRows(page.map(fieldsOf));
    after = page.length === CALLERS ? page.at(-1) : undefined;
  } while (after !== undefined);
}

function fieldsOf({ operation, keyId, keyName, calls, lastCalledAt, userAgent = "", owner }: Caller): string[] {
  const { name = "", email = "" } = owner ?? {};
  return [operation, keyId, keyName, String(calls), timestampOf(lastCalledAt), userAgent, name, email];
}
