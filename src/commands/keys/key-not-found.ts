import { PetstoreError } from "../../domain/errors.ts";

/** The error for an unknown key id. */
export function keyNotFound(id: string): PetstoreError {
  return new PetstoreError("key_not_found", { message: `There is no key ${id}.` });
}
