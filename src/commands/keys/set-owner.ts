import { Command } from "commander";
import { type Owner, ownerText } from "../../domain/keys/owner.ts";
import { changeKey } from "./change.ts";
import { ID_ARGUMENT, JSON_OPTION, parseOwnerArgument } from "./options.ts";

type Options = { remove?: boolean; json?: boolean };

export function setOwnerCommand(): Command {
  return new Command("set-owner")
    .description("Give a key another owner, or none.")
    .argument(...ID_ARGUMENT)
    .argument("[owner]", "a name, an e-mail address, or both", parseOwnerArgument)
    .option("--remove", "the key has no owner any more")
    .option(...JSON_OPTION)
    .addHelpText("after", EXAMPLES)
    .action(setOwner);
}

const EXAMPLES = `
Examples:
  petstore keys set-owner key_4kTn0aWq7JbYcX2z "Ada <ada@example.org>"
  petstore keys set-owner key_4kTn0aWq7JbYcX2z --remove`;

async function setOwner(id: string, owner: Owner | undefined, options: Options, command: Command): Promise<void> {
  if ((owner === undefined) !== (options.remove ?? false))
    command.error("error: either an owner or --remove is required");
  await changeKey(id, options, async (administration, now) => {
    const { name } = await administration.update(id, { owner: owner ?? null }, now);
    return `Key ${id}, "${name}", ${owner === undefined ? "has no owner" : `belongs to ${ownerText(owner)}`} now.`;
  });
}
