import { PetstoreError } from "../../domain/errors.ts";
import type { Scope } from "../../domain/keys/key.ts";
import { CHALLENGE } from "./authenticate.ts";
import type { AdmittedContext, PublicOperation } from "./operations/operation.ts";

/** @throws insufficient_scope unless the key has the scope that the operation needs, which the challenge names (RFC 6750, 3.1) */
export function requireScope(
  { scope }: PublicOperation,
  { key, headers }: Pick<AdmittedContext, "key" | "headers">,
): void {
  if (scope === undefined || key.scopes.includes(scope)) return;
  headers["WWW-Authenticate"] = `${CHALLENGE}, error="insufficient_scope", scope="${scope}"`;
  throw new PetstoreError("insufficient_scope", { message: lacksScope(scope) });
}

/** The message of insufficient_scope. */
export function lacksScope(scope: Scope): string {
  return `This API key lacks the scope ${scope}. Ask for a key that has it.`;
}
