import { type ErrorCode, PetstoreError } from "../domain/errors.ts";
import { ConfigError } from "../wiring/config.ts";

/** What went wrong, for the person at the terminal: never a stack. */
export function explain(error: unknown): string {
  if (error instanceof ConfigError)
    return `petstore cannot start:\n${error.mistakes.map((mistake) => `  ${mistake}`).join("\n")}`;
  return `petstore: ${reasonOf(error)}`;
}

/** The same without naming the program. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof PetstoreError)) return messageOf(error);
  if (error.code === "service_unavailable") return `the database cannot be used right now: ${messageOf(error.cause)}`;
  const hint = hints[error.code];
  return hint === undefined ? error.message : `${error.message} ${hint}`;
}

/** What helps somebody at a terminal with an error, beside its message. */
const hints: Partial<Record<ErrorCode, string>> = {
  key_not_found: "`petstore keys list` shows the keys there are.",
  operator_not_found: "`petstore operators list` shows the operators there are.",
};

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
