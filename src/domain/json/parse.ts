import { PetstoreError } from "../errors.ts";
import { Parser } from "./parser.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Parses a JSON text (RFC 8259). Integers within int64 become bigints, other numbers become numbers. `subject` names the
 * text in messages. @throws invalid_json when it is not UTF-8 or not JSON, has duplicate keys or more than 32 levels
 */
export function parseJson(bytes: Uint8Array, subject = "The text"): unknown {
  const text = decode(bytes, subject);
  try {
    return new Parser(text).parse();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new PetstoreError("invalid_json", { message: `${subject} ${problemOf(text, error)}.`, cause: error });
  }
}

function decode(bytes: Uint8Array, subject: string): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new PetstoreError("invalid_json", { message: `${subject} is not valid UTF-8.`, cause: error });
  }
}

function problemOf(text: string, error: SyntaxError): string {
  if (text.startsWith("\uFEFF")) return "begins with a byte order mark: leave it out";
  return text.trim() === "" ? "is empty" : error.message;
}
