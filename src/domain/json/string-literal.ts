import { NINE, SMALL_A, SMALL_F, SMALL_U, ZERO } from "./characters.ts";

/** The code units of escapes by the character after the backslash (RFC 8259, 7). */
const units = new Map(
  Array.from('"\\/bfnrt', (letter) => [letter.charCodeAt(0), String(JSON.parse(`"\\${letter}"`)).charCodeAt(0)]),
);

/** The string whose valid literal, with its quotes, is from `start` to `end`. */
export function stringOf(text: string, start: number, end: number): string {
  const content = text.slice(start + 1, end - 1);
  return content.includes("\\") ? JSON.parse(`"${content}"`) : content;
}

/** The number of characters of the escape at `at`. */
export function escapeLength(text: string, at: number): number {
  return text.charCodeAt(at + 1) === SMALL_U ? 6 : 2;
}

/** The code unit that the escape at `at` stands for, or undefined if it is invalid. */
export function escapedUnit(text: string, at: number): number | undefined {
  const code = text.charCodeAt(at + 1);
  if (code !== SMALL_U) return units.get(code);
  let unit = 0;
  for (let i = at + 2; i < at + 6; i++) unit = unit * 16 + hexDigit(text.charCodeAt(i));
  return Number.isNaN(unit) ? undefined : unit;
}

/** The value of a hexadecimal digit; NaN for any other character. */
function hexDigit(code: number): number {
  if (code >= ZERO && code <= NINE) return code - ZERO;
  const small = code | 0x20;
  return small >= SMALL_A && small <= SMALL_F ? small - SMALL_A + 10 : Number.NaN;
}
