import type { RecordedEntry } from "../../domain/audit/entry.ts";
import { entryJson } from "../../domain/audit/json.ts";
import { toJson } from "../../domain/json/write.ts";
import { csvRows, rawCsvRows } from "./csv-table.ts";

const COLUMNS = ["id", "at", "operatorId", "operator", "action", "target", "before", "after", "requestId"];

/** The first line of a CSV file of audit entries. */
export function auditCsvHeader(): string {
  return rawCsvRows([COLUMNS]);
}

/** Formats entries as CSV (RFC 4180, but lines end in a line feed only). Spreadsheets do not run the texts as formulas. */
export function writeAuditCsv(entries: RecordedEntry[]): string {
  return csvRows(entries.map(cellsOf));
}

/** The same with texts exactly as they are. */
export function writeRawAuditCsv(entries: RecordedEntry[]): string {
  return rawCsvRows(entries.map(cellsOf));
}

/** Formats entries as NDJSON, as the administration interface returns them. */
export function writeAuditNdjson(entries: RecordedEntry[]): string {
  return entries.map((entry) => `${toJson(entryJson(entry))}\n`).join("");
}

/** The states before and after the change are JSON. What an entry lacks is empty. */
function cellsOf(entry: RecordedEntry): string[] {
  const { id, at, operator, action, target, before, after, requestId } = entryJson(entry);
  const texts = [operator.id, operator.name, action, target];
  const states = [before, after].map((state) => (state === null ? "" : toJson(state)));
  return [String(id), at, ...texts.map((text) => text ?? ""), ...states, requestId ?? ""];
}
