import { PetstoreError } from "../errors.ts";
import { int64Of } from "../int64.ts";
import { checkStructure } from "./json-structure.ts";

declare global {
  interface JSON {
    /** A value that JSON.stringify writes as this text (ECMAScript proposal, in both runtimes). */
    rawJSON(text: string): unknown;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The value of a JSON text (RFC 8259). Every integer within int64 is a bigint, exact to the digit; other numbers are numbers.
 * @throws invalid_json for what is not UTF-8 or not JSON, for duplicate keys, and for more than 32 levels
 */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  checkStructure(text);
  try {
    return JSON.parse(text, exactly);
  } catch (error) {
    throw new PetstoreError("invalid_json", "The request body is not valid JSON.", { cause: error });
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new PetstoreError("invalid_json", "The request body is not valid UTF-8.", { cause: error });
  }
}

/** A reviver: it is given a number's own digits beside the rounded value. */
function exactly(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || context?.source === undefined) return value;
  return int64Of(context.source) ?? value;
}

/** Something that JSON.stringify writes as exactly this integer. */
export function exactInteger(value: bigint): unknown {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : JSON.rawJSON(String(value));
}

/** The JSON text of a value, with bigints as plain digits. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, item) => (typeof item === "bigint" ? exactInteger(item) : item));
}
