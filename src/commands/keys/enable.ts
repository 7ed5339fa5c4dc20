import { Command } from "commander";
import { changeKey } from "./change.ts";
import { ID_ARGUMENT, JSON_OPTION } from "./options.ts";

export function enableCommand(): Command {
  return new Command("enable")
    .description("Accept a disabled key again.")
    .argument(...ID_ARGUMENT)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore keys enable key_4kTn0aWq7JbYcX2z")
    .action((id: string, options: { json?: boolean }) =>
      changeKey(id, options, async (administration, now) => {
        const { name } = await administration.update(id, { disabled: false }, now);
        return `Key ${id}, "${name}", is enabled.`;
      }),
    );
}
