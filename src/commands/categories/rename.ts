import { Command } from "commander";
import { categoryJson } from "../../domain/categories/category.ts";
import { PetstoreError } from "../../domain/errors.ts";
import { JSON_OPTION } from "../keys/options.ts";
import { print } from "../print.ts";
import { withExistingStores } from "../stores.ts";
import { ID_ARGUMENT, parseName } from "./options.ts";

export function renameCommand(): Command {
  return new Command("rename")
    .description("Give a category another name.")
    .argument(...ID_ARGUMENT)
    .argument("<name>", "a name that no other category has; case is ignored", parseName)
    .option(...JSON_OPTION)
    .addHelpText("after", '\nExample:\n  petstore categories rename 1 "Hounds"')
    .action(rename);
}

async function rename(id: bigint, name: string, { json }: { json?: boolean }): Promise<void> {
  await withExistingStores(async ({ categories, categoryAdministration }) => {
    if ((await categories.get(id)) === undefined) throw new PetstoreError("category_not_found");
    const { category } = await categoryAdministration.put({ id, name }, Date.now(), { ifMatch: "any" });
    print(json, categoryJson(category), () => `Category ${id} is named "${name}" now.`);
  });
}
