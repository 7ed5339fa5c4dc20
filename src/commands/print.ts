import { toJson } from "../domain/json/write.ts";

/** Prints a result as JSON or as text. */
export function print(isJson: boolean | undefined, value: unknown, text: () => string): void {
  // Not console.log: Bun's ignores errors of the output.
  process.stdout.write(`${isJson ? toJson(value, 2) : text()}\n`);
}
