import { showBidiControls } from "../domain/bidi.ts";
import { toJson } from "../domain/json/write.ts";

/** Prints a result as JSON, or as text in which no name can disguise itself as another. */
export function print(isJson: boolean | undefined, value: unknown, text: () => string): void {
  // Not console.log: Bun's ignores errors of the output.
  process.stdout.write(`${isJson ? toJson(value, 2) : showBidiControls(text())}\n`);
}
