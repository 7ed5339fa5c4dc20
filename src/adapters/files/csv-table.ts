import { stringify } from "csv-stringify/sync";

/**
 * Where a text begins a cell that a spreadsheet would run as a formula: at its beginning, and behind each character that separates cells
 * somewhere, because the separator that counts is the reader's. A quote there opens a cell (OWASP, CSV Injection). Matches the
 * apostrophes in front.
 */
const FORMULA = /(?<=^|[,;|\t\r\n])'*(?=(?:[^\S\t\r\n]|")*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])/g;

/** Puts an apostrophe before each part of a text that a spreadsheet would run as a formula, or that looks so escaped. */
export function escapeFormula(text: string): string {
  return text.replace(FORMULA, "'$&");
}

/** The inverse of `escapeFormula`. Returns a text that it cannot have written as it is. */
export function unescapeFormula(text: string): string {
  return text.replace(FORMULA, (apostrophes) => apostrophes.slice(1));
}

/** Formats rows as CSV (RFC 4180, but lines end in a line feed only). Quotes what other separators would divide, too. */
export function rawCsvRows(rows: readonly (readonly string[])[]): string {
  return stringify(
    rows.map((row) => [...row]),
    { quoted_match: /[;|\t]/ },
  );
}

/** The same, with an apostrophe in front of a text that a spreadsheet would run as a formula. */
export function csvRows(rows: readonly (readonly string[])[]): string {
  return rawCsvRows(rows.map((row) => row.map(escapeFormula)));
}
