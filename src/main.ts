import { petstoreCommand } from "./commands/petstore.ts";
import { ConfigError } from "./config.ts";
import { PetstoreError } from "./errors.ts";

try {
  await petstoreCommand().parseAsync();
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}

/** What went wrong, for the person at the terminal: never a stack. */
function explain(error: unknown): string {
  if (error instanceof ConfigError)
    return `petstore cannot start:\n${error.mistakes.map((mistake) => `  ${mistake}`).join("\n")}`;
  if (error instanceof PetstoreError)
    return `petstore: the database cannot be used right now: ${messageOf(error.cause)}`;
  return `petstore: ${messageOf(error)}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
