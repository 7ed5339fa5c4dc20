import { CommanderError } from "commander";
import { explain } from "./commands/explain.ts";
import { petstoreCommand } from "./commands/petstore.ts";

/** A wrong argument; commander has said by then what was expected. */
const USAGE = 2;

// Whoever reads the output may have had enough of it, as `head` has.
process.stdout.on("error", (error) => {
  if ("code" in error && error.code === "EPIPE") return;
  console.error(`petstore: standard output cannot be written: ${error.message}`);
  process.exit(1);
});

try {
  await petstoreCommand().parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : USAGE;
  else {
    console.error(explain(error));
    process.exitCode = 1;
  }
}
