import { PetstoreError } from "../errors.ts";
import { int64Of } from "../int64.ts";
import { checkStructure } from "./structure.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The value of a JSON text (RFC 8259). Every integer within int64 is a bigint, exact to the digit; other numbers are numbers.
 * `subject` is what messages call the text. @throws invalid_json for what is not UTF-8 or not JSON, for duplicate keys,
 * and for more than 32 levels
 */
export function parseJson(bytes: Uint8Array, subject = "The text"): unknown {
  const text = decode(bytes, subject);
  checkStructure(text, subject);
  try {
    return JSON.parse(text, exactly);
  } catch (error) {
    throw new PetstoreError("invalid_json", { message: `${subject} ${problemWith(text)}.`, cause: error });
  }
}

function decode(bytes: Uint8Array, subject: string): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new PetstoreError("invalid_json", { message: `${subject} is not valid UTF-8.`, cause: error });
  }
}

/** What is wrong with a text that JSON.parse refuses. */
function problemWith(text: string): string {
  if (text.startsWith("\uFEFF")) return "begins with a byte order mark: leave it out";
  return text.trim() === "" ? "is empty" : "is not valid JSON";
}

/** A reviver: it is given a number's own digits beside the rounded value. */
function exactly(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || context?.source === undefined) return value;
  return int64Of(context.source) ?? value;
}
