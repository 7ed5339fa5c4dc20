import { Command } from "commander";
import { categoryJson } from "../../domain/categories/category.ts";
import { PetstoreError } from "../../domain/errors.ts";
import { JSON_OPTION } from "../keys/options.ts";
import { print } from "../print.ts";
import { withExistingStores } from "../stores.ts";
import { columnsOf } from "../table.ts";
import { ID_ARGUMENT } from "./options.ts";

export function showCommand(): Command {
  return new Command("show")
    .description("Show a category.")
    .argument(...ID_ARGUMENT)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore categories show 1")
    .action(show);
}

async function show(id: bigint, { json }: { json?: boolean }): Promise<void> {
  await withExistingStores(async ({ categories }) => {
    const category = await categories.get(id);
    if (category === undefined) throw new PetstoreError("category_not_found");
    print(json, categoryJson(category), () =>
      columnsOf([
        ["id", String(id)],
        ["name", category.name],
      ]),
    );
  });
}
