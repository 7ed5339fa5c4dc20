import { auditCsvHeader, writeAuditCsv, writeAuditNdjson, writeRawAuditCsv } from "../adapters/files/audit.ts";
import type { Format } from "../adapters/files/format.ts";
import type { RecordedEntry } from "../domain/audit/entry.ts";
import type { AuditFilter, AuditLog } from "../domain/audit/log.ts";

/** Entries that are read at a time: reading and formatting them takes about a millisecond. */
const PAGE = 100;

const writers = { ndjson: writeAuditNdjson, csv: writeAuditCsv, "raw-csv": writeRawAuditCsv };

/** Yields the matching entries of the audit log, newest first, as the text of a file. */
export async function* exportAudit(audit: AuditLog, filter: AuditFilter, format: Format): AsyncGenerator<string> {
  if (format !== "ndjson") yield auditCsvHeader();
  let page: RecordedEntry[] = [];
  do {
    const last = page.at(-1);
    page = await audit.list({ ...filter, limit: PAGE, ...(last && { before: last.id }) });
    yield writers[format](page);
  } while (page.length === PAGE);
}
