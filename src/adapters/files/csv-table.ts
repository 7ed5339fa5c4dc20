import { stringify } from "csv-stringify/sync";
import { escapeFormula } from "./formula.ts";

/**
 * Formats rows as CSV (RFC 4180, but lines end in a line feed only). A text that a spreadsheet would run as a formula gets
 * an apostrophe in front.
 */
export function csvRows(rows: readonly (readonly string[])[]): string {
  return stringify(rows.map((row) => row.map(escapeFormula)));
}
