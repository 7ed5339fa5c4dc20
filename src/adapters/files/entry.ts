import { NewPet } from "../../domain/pets/pet.ts";

/** A line of a file: a pet to add, or the bytes of an invalid line and the reason. */
export type Entry = Accepted | Rejected;
export type Accepted = { line: number; pet: NewPet };
export type Rejected = { line: number; reason: string; bytes: Uint8Array };

/** Validates a value by the schema of the request body that creates a pet. */
export function entryOf(line: number, value: unknown, bytes: Uint8Array): Entry {
  const result = NewPet.safeParse(value);
  if (result.success) return { line, pet: result.data };
  const reasons = result.error.issues.map(({ path, message }) => `${path.join(".") || "The line"} ${message}.`);
  return rejected(line, reasons.join(" "), bytes);
}

export function rejected(line: number, reason: string, bytes: Uint8Array): Rejected {
  return { line, reason, bytes };
}

export function tooLong(line: number, bytes: Uint8Array, maxBytes: number): Rejected {
  return rejected(line, `The line must not be longer than ${maxBytes} bytes; this is its beginning.`, bytes);
}
