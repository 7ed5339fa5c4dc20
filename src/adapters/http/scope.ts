import { PetstoreError } from "../../domain/errors.ts";
import type { Scope } from "../../domain/keys/key.ts";
import type { Admitted } from "./request-context.ts";

/** @throws insufficient_scope unless the caller's key has this scope */
export function requireScope({ caller }: Admitted, scope: Scope): void {
  if (caller.scopes.includes(scope)) return;
  throw new PetstoreError("insufficient_scope", {
    message: `This API key lacks the scope ${scope}. Ask for a key that has it.`,
  });
}
