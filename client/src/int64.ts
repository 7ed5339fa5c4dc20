import type { Int64 } from "./schema.ts";

/** How integers are returned: `"mixed"` as numbers if exact, otherwise as bigints; `"bigint"` always as bigints. */
export type IntegerMode = "mixed" | "bigint";

/** The type of an int64 in this mode. */
export type IntegerOf<Mode extends IntegerMode> = Mode extends "bigint" ? bigint : Int64;

/** Node 20 and older browsers lack `rawJSON`. */
const json: Pick<JSON, "stringify"> & { rawJSON?: (text: string) => unknown } = JSON;

/** Matches in valid JSON a string, with the colon after it if it is a key, or a number. */
const TOKEN = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|-?\d[\d.eE+-]*/g;

/** Matches enough digits in a row that JSON.parse could round a number. */
const LONG = /\d{16}/;

/**
 * Parses JSON with exact integers: safe ones are numbers, others bigints. It does not use the reviver's `source`, which
 * Node 20 lacks.
 * @throws SyntaxError when it is not JSON
 */
export function parse(text: string): unknown {
  const rounded = JSON.parse(text);
  if (!LONG.test(text)) return rounded;
  // Integers that would be rounded become strings. Their first character distinguishes them from other strings.
  const marked = text.replace(TOKEN, (token: string, inside?: string, colon?: string) => {
    if (inside !== undefined) return colon === undefined ? `"s${inside}"` : token;
    return typeof integerIn(token) === "bigint" ? `"n${token}"` : token;
  });
  return JSON.parse(marked, (_key, value: unknown) => {
    if (typeof value !== "string") return value;
    return value.startsWith("n") ? BigInt(value.slice(1)) : value.slice(1);
  });
}

/** Writes a value as JSON, also the bigints in it; undefined fields are left out. @throws RangeError as `digitsOf` */
export function stringify(value: unknown): string {
  if (typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value))) return digitsOf(value);
  if (Array.isArray(value)) return `[${value.map(stringify)}]`;
  // What a class writes itself, such as a date. The `toJSON` of a resource is its own, and writes bigints as strings on Node 20.
  if (Object(value) !== value || Object.getPrototypeOf(value)?.toJSON) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(Object(value)).filter(([, field]) => field !== undefined);
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${stringify(field)}`)}}`;
}

/** Returns the digits of an integer. @throws RangeError for an unsafe number: it may have been rounded already */
export function digitsOf(value: Int64): string {
  if (typeof value === "bigint" || Number.isSafeInteger(value)) return String(value);
  throw new RangeError(`${value} is not an exact integer. Beyond 2^53 use a bigint, such as 9007199254740993n.`);
}

/**
 * Lets `JSON.stringify` write the bigints of an object: with all their digits, but without `JSON.rawJSON` as a string where
 * a number would not be exact.
 */
export function withJson<T extends object>(value: T): T {
  const toJSON = () => Object.fromEntries(Object.entries(value).map(([name, field]) => [name, jsonOf(field)]));
  return Object.defineProperty(value, "toJSON", { value: toJSON });
}

function jsonOf(value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : (json.rawJSON?.(String(value)) ?? String(value));
}

/** Parses an integer: a number if exact, otherwise a bigint; undefined if the text is not an integer. */
export function integerIn(text: string): Int64 | undefined {
  if (!/^-?\d+$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

/** Converts a parsed integer to the mode; undefined if it is not an exact integer. */
export function integerOf(value: unknown, mode: IntegerMode): Int64 | undefined {
  if (typeof value === "number" && Number.isSafeInteger(value)) return mode === "bigint" ? BigInt(value) : value;
  return typeof value === "bigint" ? value : undefined;
}
