import { stringify } from "csv-stringify/sync";
import { escapeFormula } from "./formula.ts";

/** Formats rows as CSV (RFC 4180, but lines end in a line feed only). Some spreadsheets separate cells by semicolons too. */
export function rawCsvRows(rows: readonly (readonly string[])[]): string {
  return stringify(
    rows.map((row) => [...row]),
    { quoted_match: ";" },
  );
}

/** The same, with an apostrophe in front of a text that a spreadsheet would run as a formula. */
export function csvRows(rows: readonly (readonly string[])[]): string {
  return rawCsvRows(rows.map((row) => row.map(escapeFormula)));
}
