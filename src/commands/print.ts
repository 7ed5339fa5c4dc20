import { toJson } from "../domain/json/write.ts";

/** Prints a result: as JSON for scripts, otherwise as the text that people read. */
export function print(isJson: boolean | undefined, value: unknown, text: () => string): void {
  // Not console.log: Bun's reports no error when the output cannot be written.
  process.stdout.write(`${isJson ? toJson(value, 2) : text()}\n`);
}
