import { PetstoreError } from "../../domain/errors.ts";

/** The refusal of a key id that no key has. */
export function missingKey(id: string): PetstoreError {
  return new PetstoreError("key_not_found", { message: `There is no key ${id}.` });
}
