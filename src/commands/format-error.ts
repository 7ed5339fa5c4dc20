import type { ErrorCode } from "../domain/error-catalogue.ts";
import { PetstoreError } from "../domain/errors.ts";
import { ConfigError } from "../wiring/config-error.ts";
import { asRun } from "./launcher.ts";

/** Formats an error for standard error, without its stack. Commands in it are named as the operator runs them. */
export function formatError(error: unknown): string {
  return asRun(textOf(error));
}

function textOf(error: unknown): string {
  if (error instanceof ConfigError)
    return `petstore cannot start:\n${error.problems.map((problem) => `  ${problem}`).join("\n")}`;
  return `petstore: ${reasonOf(error)}`;
}

/** The message of an error, followed by a hint if there is one. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof PetstoreError)) return messageOf(error);
  if (error.code === "service_unavailable") return `the database is not available: ${messageOf(error.cause)}`;
  const hint = hints[error.code];
  return hint === undefined ? error.message : `${error.message} ${hint}`;
}

/** Hints at commands that help with an error. */
const hints: Partial<Record<ErrorCode, string>> = {
  key_not_found: "`petstore keys list` shows all keys.",
  operator_not_found: "`petstore operators list` shows all operators.",
  pet_not_found: "`petstore pets list` shows the pets.",
  category_not_found: "`petstore categories list` shows the categories.",
  request_not_found: "`petstore requests list` shows them.",
  order_not_found: "`petstore orders list` shows the orders.",
};

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
