import { type ErrorCode, messageOf, PetstoreError } from "../domain/errors.ts";
import { toJson } from "../domain/json.ts";
import { showBidiControls } from "../domain/text.ts";
import { ConfigError } from "../wiring/config-schemas.ts";
import { asRun } from "./program.ts";

/** Prints a result as JSON, or as text in which no name can disguise itself as another. */
export function print(isJson: boolean | undefined, value: unknown, text: () => string): void {
  // Not console.log: Bun's ignores errors of the output.
  process.stdout.write(`${isJson ? toJson(value, 2) : showBidiControls(text())}\n`);
}

export type Noun = readonly [one: string, many: string];

/** A number with its noun: `1 pet`, `1,000 pets`. */
export function count(number: number, [one, many]: Noun): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** Formats a time (Unix milliseconds) in UTC with seconds: `2026-11-21 08:30:00Z`. */
export function formatTime(time: number): string {
  return new Date(time).toISOString().replace("T", " ").replace(/\.\d+/, "");
}

/** Formats the day of a time (Unix milliseconds) in UTC: `2026-11-21`. */
export function formatDay(time: number): string {
  return formatTime(time).slice(0, 10);
}

/** Formats a time (Unix milliseconds) of the next 24 hours in UTC: `08:30Z`. */
export function formatTimeOfDay(time: number): string {
  return `${formatTime(time).slice(11, 16)}Z`;
}

/** Formats an error for standard error, without its stack. Commands in it are named as the operator runs them. */
export function formatError(error: unknown): string {
  return asRun(errorText(error));
}

function errorText(error: unknown): string {
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
  webhook_not_found: "`petstore webhooks list` shows the endpoints.",
  order_not_found: "`petstore orders list` shows the orders.",
};
