/** Control characters, in a class of a regular expression of JavaScript: the documents have it in words. */
export const CONTROLS = "\\u0000-\\u001f\\u007f-\\u009f";
const SPACES = " \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff";

/** A name in one line: no control characters, and at least one character that is not white space. */
const SINGLE_LINE = `^[^${CONTROLS}]*[^${CONTROLS}${SPACES}][^${CONTROLS}]*$`;
const pattern = new RegExp(SINGLE_LINE, "u");

/**
 * Whether the text is a name in one line of at most `maxLength` characters. Control characters could control the terminal
 * that lists names; PostgreSQL cannot store lone surrogates.
 */
export function isSingleLine(text: string, maxLength: number): boolean {
  if (text.length > 2 * maxLength || !text.isWellFormed()) return false;
  return [...text].length <= maxLength && pattern.test(text);
}

/** Marks, embeddings, overrides and isolates of the bidirectional algorithm (UAX #9): they are invisible, and reorder text. */
const BIDI_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Shows bidirectional control characters by their code, such as `[U+202E]`: a name cannot disguise itself as another. */
export function showBidiControls(text: string): string {
  return text.replace(
    BIDI_CONTROLS,
    (control) => `[U+${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`,
  );
}

/** Says which requests the request history keeps; undefined if it keeps all, or none. `share`: from 0 to 1. */
export function shareText({ requests, share }: { requests: number; share: number }): string | undefined {
  if (requests === 0 || share === 1) return undefined;
  const percent = (share * 100).toLocaleString("en", { maximumSignificantDigits: 3 });
  return `All errors and refusals are kept, and ${percent} % of the other requests.`;
}
