/** Control characters, in a class of a regular expression that every dialect knows. */
export const CONTROLS = "\\u0000-\\u001f\\u007f-\\u009f";
const SPACES = " \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff";

/** A name in one line: no control characters, and at least one character that is not white space. */
export const SINGLE_LINE = `^[^${CONTROLS}]*[^${CONTROLS}${SPACES}][^${CONTROLS}]*$`;
const pattern = new RegExp(SINGLE_LINE, "u");

/**
 * Whether the text is a name in one line of at most `maxLength` characters. Control characters could control the terminal
 * that lists names; PostgreSQL cannot store lone surrogates.
 */
export function isSingleLine(text: string, maxLength: number): boolean {
  if (text.length > 2 * maxLength || !text.isWellFormed()) return false;
  return [...text].length <= maxLength && pattern.test(text);
}
