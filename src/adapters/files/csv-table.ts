import { stringify } from "csv-stringify/sync";

/** Spreadsheets run a text with such a beginning as a formula (OWASP, CSV Injection). */
const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** Puts an apostrophe before a text that a spreadsheet would run as a formula, or that looks so escaped. */
export function escapeFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** The inverse of `escapeFormula`. Returns a text that it cannot have written as it is. */
export function unescapeFormula(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;
}

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
