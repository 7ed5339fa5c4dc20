import { Command } from "commander";
import { JSON_OPTION } from "../keys/options.ts";
import { print } from "../print.ts";
import { withExistingStores } from "../stores.ts";
import { ID_ARGUMENT } from "./options.ts";

export function deleteCommand(): Command {
  return new Command("delete")
    .description("Remove a category that no pet has.")
    .argument(...ID_ARGUMENT)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore categories delete 1")
    .action(remove);
}

async function remove(id: bigint, { json }: { json?: boolean }): Promise<void> {
  await withExistingStores(async ({ categoryAdministration }) => {
    await categoryAdministration.delete(id, Date.now());
    print(json, { removed: id }, () => `Removed category ${id}.`);
  });
}
