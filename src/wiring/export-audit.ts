import { setImmediate as nextTurn } from "node:timers/promises";
import { auditCsvHeader, writeAuditCsv, writeAuditNdjson, writeRawAuditCsv } from "../adapters/files/audit.ts";
import type { Format } from "../adapters/files/format.ts";
import type { RecordedEntry } from "../domain/audit/entry.ts";
import type { AuditFilter, AuditLog } from "../domain/audit/log.ts";

/** Entries that are read at a time: reading and formatting them takes about a millisecond. */
const PAGE = 25;

const writers = { ndjson: writeAuditNdjson, csv: writeAuditCsv, "raw-csv": writeRawAuditCsv };

/** Yields the matching entries of the audit log, newest first, as the text of a file. */
export async function* exportAudit(audit: AuditLog, filter: AuditFilter, format: Format): AsyncGenerator<string> {
  if (format !== "ndjson") yield auditCsvHeader();
  let page: RecordedEntry[] = [];
  do {
    const last = page.at(-1);
    page = await audit.list({ ...filter, limit: PAGE, ...(last && { before: last.id }) });
    yield writers[format](page);
    // On SQLite nothing else waits: requests get their turn between pages.
    await nextTurn();
  } while (page.length === PAGE);
}
