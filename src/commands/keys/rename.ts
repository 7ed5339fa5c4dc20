import { Command } from "commander";
import { changeKey } from "./change.ts";
import { ID_ARGUMENT, JSON_OPTION, parseName } from "./options.ts";

export function renameCommand(): Command {
  return new Command("rename")
    .description("Give a key another name.")
    .argument(...ID_ARGUMENT)
    .argument("<name>", "a label for the key", parseName)
    .option(...JSON_OPTION)
    .addHelpText("after", '\nExample:\n  petstore keys rename key_4kTn0aWq7JbYcX2z "My app"')
    .action((id: string, name: string, options: { json?: boolean }) =>
      changeKey(id, options, async (administration, now) => {
        await administration.update(id, { name }, now);
        return `Key ${id} is named "${name}" now.`;
      }),
    );
}
