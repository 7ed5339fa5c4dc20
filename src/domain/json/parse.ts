import { PetstoreError } from "../errors.ts";
import { int64Of } from "../int64.ts";
import { checkStructure } from "./structure.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Parses a JSON text (RFC 8259). Integers within int64 become bigints, other numbers become numbers. `subject` names the
 * text in messages. @throws invalid_json when it is not UTF-8 or not JSON, has duplicate keys or more than 32 levels
 */
export function parseJson(bytes: Uint8Array, subject = "The text"): unknown {
  const text = decode(bytes, subject);
  checkStructure(text, subject);
  try {
    return JSON.parse(text, exactIntegers);
  } catch (error) {
    throw new PetstoreError("invalid_json", { message: `${subject} is not valid JSON.`, cause: error });
  }
}

function decode(bytes: Uint8Array, subject: string): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new PetstoreError("invalid_json", { message: `${subject} is not valid UTF-8.`, cause: error });
  }
}

/** A reviver: `source` has the digits of a number, `value` is rounded. */
function exactIntegers(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || context?.source === undefined) return value;
  return int64Of(context.source) ?? value;
}
