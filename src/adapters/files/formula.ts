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
