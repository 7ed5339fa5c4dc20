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
  return (text.length <= maxLength || [...text].length <= maxLength) && pattern.test(text);
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

/** Returns the name that a misspelt one most probably means, by the part of it that `wordOf` returns; undefined if none is close. */
export function closestTo(
  misspelt: string,
  names: readonly string[],
  wordOf = (name: string): string => name,
): string | undefined {
  const word = wordOf(misspelt);
  const [closest] = names
    .map((name) => ({ name, distance: distanceBetween(word, wordOf(name)) }))
    .filter(({ distance }) => distance <= Math.max(2, word.length / 3))
    .sort((a, b) => a.distance - b.distance);
  return closest?.name;
}

/** The number of characters to insert, remove or replace that make `a` into `b` (Levenshtein). */
function distanceBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, character] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] ?? 0) + (character === b[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
