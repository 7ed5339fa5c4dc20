import { Command } from "commander";
import { PetstoreError } from "../../domain/errors.ts";
import { petJson } from "../../domain/pets/json.ts";
import { JSON_OPTION } from "../keys/options.ts";
import { print } from "../print.ts";
import { withExistingStores } from "../stores.ts";
import { columnsOf } from "../table.ts";
import { ID_ARGUMENT } from "./options.ts";

export function showCommand(): Command {
  return new Command("show")
    .description("Show a pet with the name of its category.")
    .argument(...ID_ARGUMENT)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore pets show 1")
    .action(show);
}

async function show(id: bigint, { json }: { json?: boolean }): Promise<void> {
  await withExistingStores(async ({ pets, categories }) => {
    const pet = await pets.get(id);
    if (pet === undefined) throw new PetstoreError("pet_not_found");
    const { name, categoryId, status } = pet;
    const category = await categories.get(categoryId);
    print(json, petJson(pet), () =>
      columnsOf([
        ["id", String(id)],
        ["name", name],
        ["category", category === undefined ? String(categoryId) : `${categoryId}, ${category.name}`],
        ["status", status],
      ]),
    );
  });
}
