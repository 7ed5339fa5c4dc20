import type { ReadableContent } from "./content.ts";

/** A line of a file: its item, or the reason why it is rejected. `bytes`: the line, or its beginning if it is too long. */
export type Entry<Item> = Accepted<Item> | Rejected;
export type Accepted<Item> = { line: number; item: Item; bytes: Uint8Array };
export type Rejected = { line: number; reason: string; bytes: Uint8Array };

/** Validates the value of a line. */
export function entryOf<Item>(
  line: number,
  value: unknown,
  bytes: Uint8Array,
  { schemaOf }: ReadableContent<Item>,
): Entry<Item> {
  const result = schemaOf(value).safeParse(value);
  if (result.success) return { line, item: result.data, bytes };
  const reasons = result.error.issues.map(({ path, message }) => `${path.join(".") || "The line"} ${message}.`);
  return rejected(line, reasons.join(" "), bytes);
}

export function rejected(line: number, reason: string, bytes: Uint8Array): Rejected {
  return { line, reason, bytes };
}

export function tooLong(line: number, bytes: Uint8Array, maxBytes: number): Rejected {
  return rejected(line, `The line must not be longer than ${maxBytes} bytes; this is its beginning.`, bytes);
}

export function isAccepted<Item>(entry: Entry<Item>): entry is Accepted<Item> {
  return "item" in entry;
}

export function isRejected<Item>(entry: Entry<Item>): entry is Rejected {
  return "reason" in entry;
}
