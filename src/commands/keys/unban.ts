import { Command } from "commander";
import { changeKey } from "./change.ts";
import { ID_ARGUMENT, JSON_OPTION } from "./options.ts";

export function unbanCommand(): Command {
  return new Command("unban")
    .description("Lift a key's ban and clear its strikes. Its counted requests stay counted.")
    .argument(...ID_ARGUMENT)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore keys unban key_4kTn0aWq7JbYcX2z")
    .action((id: string, options: { json?: boolean }) =>
      changeKey(id, options, async (administration, now) => {
        const { name } = await administration.unban(id, now);
        return `Key ${id}, "${name}", has no ban any more, and its strikes are cleared.`;
      }),
    );
}
