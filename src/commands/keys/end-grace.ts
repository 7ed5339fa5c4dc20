import { Command } from "commander";
import { changeKey } from "./change.ts";
import { ID_ARGUMENT, JSON_OPTION } from "./options.ts";

export function endGraceCommand(): Command {
  return new Command("end-grace")
    .description("End the grace period of a rotated key now: only its newest secret works.")
    .argument(...ID_ARGUMENT)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore keys end-grace key_4kTn0aWq7JbYcX2z")
    .action((id: string, options: { json?: boolean }) =>
      changeKey(id, options, async (administration, now) => {
        await administration.endGrace(id, now);
        return `The earlier secrets of key ${id} no longer work.`;
      }),
    );
}
