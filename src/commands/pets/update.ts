import { Command } from "commander";
import { petJson } from "../../domain/pets/json.ts";
import type { PetStatus } from "../../domain/pets/pet.ts";
import { JSON_OPTION } from "../keys/options.ts";
import { print } from "../print.ts";
import { withExistingStores } from "../stores.ts";
import { categoryOption, ID_ARGUMENT, nameOption, statusOption } from "./options.ts";

type Options = { name?: string; category?: bigint; status?: PetStatus; json?: boolean };

export function updateCommand(): Command {
  return new Command("update")
    .description("Change a pet, by the rules of the interface. What you leave out stays.")
    .argument(...ID_ARGUMENT)
    .addOption(nameOption("the new name"))
    .addOption(categoryOption("the new category"))
    .addOption(statusOption("the new status"))
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore pets update 1 --status sold")
    .action(update);
}

async function update(
  id: bigint,
  { name, category: categoryId, status, json }: Options,
  command: Command,
): Promise<void> {
  if (name === undefined && categoryId === undefined && status === undefined) {
    command.error("error: nothing to change; add --name, --category or --status");
  }
  await withExistingStores(async ({ petAdministration }) => {
    const pet = await petAdministration.update(id, { name, categoryId, status }, Date.now());
    print(json, petJson(pet), () => `Pet ${id} is "${pet.name}" of category ${pet.categoryId}, ${pet.status}.`);
  });
}
