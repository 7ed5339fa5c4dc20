import { Command } from "commander";
import type { Scope } from "../../domain/keys/key.ts";
import { changeKey } from "./change.ts";
import { ID_ARGUMENT, JSON_OPTION, parseScopes } from "./options.ts";

export function setScopesCommand(): Command {
  return new Command("set-scopes")
    .description("Give a key exactly these scopes.")
    .argument(...ID_ARGUMENT)
    .argument("<scopes>", "scopes, separated by commas", parseScopes)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore keys set-scopes key_4kTn0aWq7JbYcX2z pets:read")
    .action((id: string, scopes: Scope[], options: { json?: boolean }) =>
      changeKey(id, options, async (administration, now) => {
        const { name } = await administration.update(id, { scopes }, now);
        return `Key ${id}, "${name}", has the scopes ${scopes.join(", ")} now.`;
      }),
    );
}
