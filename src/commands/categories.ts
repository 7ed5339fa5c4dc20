import { Command, InvalidArgumentError } from "commander";
import { categories } from "../adapters/files/items.ts";
import { CATEGORY_NAME_RULE, categoryJson, isCategoryName } from "../domain/categories.ts";
import { PetstoreError } from "../domain/errors.ts";
import { pagesOf } from "../wiring/exports.ts";
import { importCategories } from "../wiring/imports.ts";
import {
  type ExportOptions,
  exportFile,
  type ImportOptions,
  importFile,
  newExportCommand,
  newImportCommand,
  REJECTED_LINES,
} from "./files.ts";
import { columnsOf, type ListOptions, printList, rangeOptions } from "./lists.ts";
import { idsOf, JSON_OPTION, parseCategoryId } from "./options.ts";
import { print } from "./output.ts";
import { withExistingStores } from "./stores.ts";

const ID_ARGUMENT = ["<id>", "the category's id: `petstore categories list` shows it", parseCategoryId] as const;

/** Parses the name of a category. @throws InvalidArgumentError */
function parseName(text: string): string {
  if (isCategoryName(text)) return text;
  throw new InvalidArgumentError(`It must be ${CATEGORY_NAME_RULE}.`);
}

function deleteCommand(): Command {
  return new Command("delete")
    .description("Remove a category that no pet has.")
    .argument(...ID_ARGUMENT)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore categories delete 1")
    .action(remove);
}

async function remove(id: bigint, { json }: { json?: boolean }): Promise<void> {
  await withExistingStores(async ({ categories, author }) => {
    await categories.delete(id, { by: author, now: Date.now() });
    print(json, { removed: id }, () => `Removed category ${id}.`);
  });
}

function exportCommand(): Command {
  return newExportCommand()
    .description("Write all categories, by id. Works while the service runs.")
    .addHelpText("after", "\nExample:\n  petstore categories export categories.csv")
    .action((file: string | undefined, options: ExportOptions, command: Command) =>
      exportFile(file, options, command, {
        noun: ["category", "categories"],
        content: categories,
        pages: (stores) => pagesOf((page) => stores.categories.list(page)),
      }),
    );
}

function importCommand(): Command {
  return newImportCommand()
    .description("Create and rename categories as the lines of a file say.")
    .addHelpText("after", HELP)
    .action((file: string, options: ImportOptions, command: Command) =>
      importFile(file, options, command, {
        noun: ["category", "categories"],
        batches: ({ categories, author }, chunks, format) =>
          importCategories({ categories, author, clock: Date.now }, chunks, format),
      }),
    );
}

const HELP = `
NDJSON has one object per line: {"id":1,"name":"Dogs"}. CSV has a header with
the columns name and optionally id. A line creates the category with its id, or
renames it; without an id it creates one under a new id.

${REJECTED_LINES}

Examples:
  petstore categories import categories.csv
  echo '{"name":"Dogs"}' | petstore categories import - --format ndjson`;

type CategoryListOptions = ListOptions & { name?: string; ids?: bigint[] };

function listCommand(): Command {
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

async function list(options: CategoryListOptions): Promise<void> {
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

function renameCommand(): Command {
  return new Command("rename")
    .description("Give a category another name.")
    .argument(...ID_ARGUMENT)
    .argument("<name>", "a name that no other category has; case is ignored", parseName)
    .option(...JSON_OPTION)
    .addHelpText("after", '\nExample:\n  petstore categories rename 1 "Hounds"')
    .action(rename);
}

async function rename(id: bigint, name: string, { json }: { json?: boolean }): Promise<void> {
  await withExistingStores(async ({ categories, author }) => {
    if ((await categories.get(id)) === undefined) throw new PetstoreError("category_not_found");
    const options = { by: author, now: Date.now(), preconditions: { ifMatch: "any" } } as const;
    const { category } = await categories.put({ id, name }, options);
    print(json, categoryJson(category), () => `Category ${id} is named "${name}" now.`);
  });
}

function showCommand(): Command {
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

export function categoriesCommand(): Command {
  return new Command("categories")
    .description("List, rename, remove, import and export categories. Works while the service runs.")
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(renameCommand())
    .addCommand(deleteCommand())
    .addCommand(importCommand())
    .addCommand(exportCommand());
}
