import type { Int64 } from "./schema.ts";

/** How integers come back: `"mixed"` as numbers where that is exact and bigints where it is not, or always `"bigint"`. */
export type IntegerMode = "mixed" | "bigint";

/** What an int64 is in this mode. */
export type IntegerOf<Mode extends IntegerMode> = Mode extends "bigint" ? bigint : Int64;

/** In valid JSON: the inside of a string, and what follows it when it is a key; or a number. */
const TOKEN = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|-?\d[\d.eE+-]*/g;

/** Whether a text has so many digits in a row that a number in it could be rounded. */
const LONG = /\d{16}/;

/**
 * The value of a JSON text, with every integer exact: a number where that is safe, a bigint where it is not.
 * Needs nothing that Node 20 lacks, so not the `source` that newer runtimes give to a reviver.
 * @throws SyntaxError when it is not JSON
 */
export function parse(text: string): unknown {
  const rounded = JSON.parse(text);
  if (!LONG.test(text)) return rounded;
  // Integers that would be rounded are written as strings, distinguished from the others by their first character.
  const marked = text.replace(TOKEN, (token: string, inside?: string, colon?: string) => {
    if (inside !== undefined) return colon === undefined ? `"s${inside}"` : token;
    return typeof integerIn(token) === "bigint" ? `"n${token}"` : token;
  });
  return JSON.parse(marked, (_key, value: unknown) => {
    if (typeof value !== "string") return value;
    return value.startsWith("n") ? BigInt(value.slice(1)) : value.slice(1);
  });
}

/** The JSON text of an object whose own fields may be bigints. Fields that are undefined are left out. */
export function stringify(object: object): string {
  const fields = Object.entries(object).filter(([, value]) => value !== undefined);
  const written = fields.map(([name, value]) => {
    const isInteger = typeof value === "bigint" || Number.isInteger(value);
    return `${JSON.stringify(name)}:${isInteger ? digitsOf(value) : JSON.stringify(value)}`;
  });
  return `{${written.join()}}`;
}

/** An integer's digitsOf. @throws RangeError for a number that is not a safe integer: it may have been rounded already */
export function digitsOf(value: Int64): string {
  if (typeof value === "bigint" || Number.isSafeInteger(value)) return String(value);
  throw new RangeError(`${value} is no exact integer. Beyond 2^53 give a bigint, such as 9007199254740993n.`);
}

/** The integer that these digits are: a number where that is exact; undefined when there is something else among them. */
export function integerIn(text: string): Int64 | undefined {
  if (!/^-?\d+$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

/** A parsed integer as the mode wants it; undefined when it is not an exact integer. */
export function integerOf(value: unknown, mode: IntegerMode): Int64 | undefined {
  if (typeof value === "bigint") return value;
  if (typeof value !== "number" || !Number.isSafeInteger(value)) return undefined;
  return mode === "bigint" ? BigInt(value) : value;
}
