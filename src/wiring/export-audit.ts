import type { Format } from "../adapters/files/content.ts";
import { auditEntries } from "../adapters/files/items.ts";
import type { AuditFilter, AuditLog, RecordedEntry } from "../domain/audit.ts";
import { exportItems } from "./export-items.ts";

/** Entries that are read at a time: reading and formatting them takes about a millisecond. */
const PAGE = 25;

/** Yields the matching entries of the audit log, newest first, as the text of a file. */
export function exportAudit(audit: AuditLog, filter: AuditFilter, format: Format): AsyncGenerator<string> {
  return exportItems(pagesOf(audit, filter), auditEntries, format);
}

async function* pagesOf(audit: AuditLog, filter: AuditFilter): AsyncGenerator<RecordedEntry[]> {
  let page: RecordedEntry[] = [];
  do {
    const last = page.at(-1);
    page = await audit.list({ ...filter, limit: PAGE, ...(last && { before: last.id }) });
    yield page;
  } while (page.length === PAGE);
}
