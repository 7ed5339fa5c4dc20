import { Command } from "commander";
import { COMMAND } from "../launcher.ts";
import { changeKey } from "./change.ts";
import { ID_ARGUMENT, JSON_OPTION } from "./options.ts";

export function disableCommand(): Command {
  return new Command("disable")
    .description("Refuse a key until it is enabled again.")
    .argument(...ID_ARGUMENT)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore keys disable key_4kTn0aWq7JbYcX2z")
    .action((id: string, options: { json?: boolean }) =>
      changeKey(id, options, async (administration, now) => {
        const { name } = await administration.update(id, { disabled: true }, now);
        return `Key ${id}, "${name}", is disabled. \`${COMMAND} keys enable ${id}\` enables it again.`;
      }),
    );
}
