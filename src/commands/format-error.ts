import { type ErrorCode, PetstoreError } from "../domain/errors.ts";
import { ConfigError } from "../wiring/config.ts";

/** An error as the command prints it: never with a stack. */
export function formatError(error: unknown): string {
  if (error instanceof ConfigError)
    return `petstore cannot start:\n${error.mistakes.map((mistake) => `  ${mistake}`).join("\n")}`;
  return `petstore: ${reasonOf(error)}`;
}

/** The message without the name of the program, and with a hint where there is one. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof PetstoreError)) return messageOf(error);
  if (error.code === "service_unavailable") return `the database cannot be used right now: ${messageOf(error.cause)}`;
  const hint = hints[error.code];
  return hint === undefined ? error.message : `${error.message} ${hint}`;
}

/** Commands that help with an error. */
const hints: Partial<Record<ErrorCode, string>> = {
  key_not_found: "`petstore keys list` shows all keys.",
  operator_not_found: "`petstore operators list` shows all operators.",
};

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
