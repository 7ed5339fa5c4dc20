import { PetstoreError } from "../../domain/errors.ts";
import type { Key } from "../../domain/keys/key.ts";
import type { PublicOperation } from "./operations/operation.ts";

/** @throws insufficient_scope unless the key has the scope that the operation needs */
export function requireScope({ scope }: PublicOperation, { scopes }: Key): void {
  if (scope === undefined || scopes.includes(scope)) return;
  throw new PetstoreError("insufficient_scope", {
    message: `This API key lacks the scope ${scope}. Ask for a key that has it.`,
  });
}
