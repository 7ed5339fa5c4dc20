import { Command } from "commander";
import { categoryJson } from "../../domain/categories/category.ts";
import { pagesOf } from "../../wiring/list-pages.ts";
import { JSON_OPTION } from "../keys/options.ts";
import { type ListOptions, printList, rangeOptions } from "../listing.ts";
import { idsOf, parseCategoryId } from "../options.ts";
import { withExistingStores } from "../stores.ts";
import { parseName } from "./options.ts";

type Options = ListOptions & { name?: string; ids?: bigint[] };

export function listCommand(): Command {
  const [limit, after] = rangeOptions("categories", parseCategoryId);
  return new Command("list")
    .description("List categories by id.")
    .option("--name <text>", "only the category with this name; case is ignored", parseName)
    .option("--ids <ids>", "only categories with these ids, separated by commas", idsOf(parseCategoryId))
    .addOption(limit)
    .addOption(after)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExamples:\n  petstore categories list\n  petstore categories list --name dogs --json")
    .action(list);
}

async function list(options: Options): Promise<void> {
  const { name, ids, after } = options;
  await withExistingStores(async ({ categories }) => {
    await printList(
      {
        pages: pagesOf((page) => categories.list({ name, ids, ...page }), after),
        json: categoryJson,
        head: ["ID", "NAME"],
        flexible: "NAME",
        row: ({ id, name }) => [String(id), name],
        none: "No category matches.",
      },
      options,
    );
  });
}
