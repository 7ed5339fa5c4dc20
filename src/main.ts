import { CommanderError } from "commander";
import { formatError } from "./commands/output.ts";
import { petstoreCommand } from "./commands/petstore.ts";
import { endWithLauncher } from "./commands/program.ts";

/** The exit code for a usage error, which commander has printed. */
const USAGE = 2;

// A reader such as `head` may close the output early.
process.stdout.on("error", (error) => {
  if ("code" in error && error.code === "EPIPE") return;
  console.error(`petstore: standard output cannot be written: ${error.message}`);
  process.exit(1);
});

endWithLauncher();
try {
  const [, , name] = process.argv;
  await (await petstoreCommand(name)).parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : USAGE;
  else {
    console.error(formatError(error));
    process.exitCode = 1;
  }
}
