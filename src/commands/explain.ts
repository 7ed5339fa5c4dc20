import { ConfigError } from "../config.ts";
import { PetstoreError } from "../errors.ts";

/** What went wrong, for the person at the terminal: never a stack. */
export function explain(error: unknown): string {
  if (error instanceof ConfigError)
    return `petstore cannot start:\n${error.mistakes.map((mistake) => `  ${mistake}`).join("\n")}`;
  return `petstore: ${reasonOf(error)}`;
}

/** The same without naming the program. */
export function reasonOf(error: unknown): string {
  if (error instanceof PetstoreError) return `the database cannot be used right now: ${messageOf(error.cause)}`;
  return messageOf(error);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
