import { PetstoreError } from "../errors.ts";
import { Parser } from "./parser.ts";
import { type Shape, WHOLE } from "./shape.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The value of a text, or what is wrong with the text, such as "is not valid JSON". */
type Result = { value: unknown } | { problem: string };

/**
 * Parses a JSON text (RFC 8259). Integers within int64 become bigints, other numbers become numbers. `subject` names the
 * text in messages. What `shape` leaves out is checked alike.
 * @throws invalid_json when it is not UTF-8 or not JSON, has duplicate keys or more than 32 levels
 */
export function parseJson(bytes: Uint8Array, subject = "The text", shape = WHOLE): unknown {
  const result = tryParseJson(bytes, shape);
  if ("value" in result) return result.value;
  throw new PetstoreError("invalid_json", { message: `${subject} ${result.problem}.` });
}

/** The same without an error, which takes some kilobytes: a file may have a million invalid lines. */
export function tryParseJson(bytes: Uint8Array, shape: Shape): Result {
  const text = decode(bytes);
  if (text === undefined) return { problem: "is not valid UTF-8" };
  try {
    return { value: new Parser(text).parse(shape) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { problem: problemOf(text, error) };
  }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

function problemOf(text: string, error: SyntaxError): string {
  if (text.startsWith("\uFEFF")) return "begins with a byte order mark: leave it out";
  return text.trim() === "" ? "is empty" : error.message;
}
