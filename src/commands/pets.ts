import { Command, InvalidArgumentError, Option } from "commander";
import { pets } from "../adapters/files/items.ts";
import { PetstoreError } from "../domain/errors.ts";
import { INT64_MAX } from "../domain/int64.ts";
import { isPetName, type Page, PET_NAME_RULE, PetStatus, petJson, type StoredPet } from "../domain/pets.ts";
import { pagesOf } from "../wiring/exports.ts";
import { PetImport } from "../wiring/imports.ts";
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
import { idsOf, integer, JSON_OPTION, parseAssignedId, parseCategoryId } from "./options.ts";
import { print } from "./output.ts";
import { withExistingStores } from "./stores.ts";

const ID_ARGUMENT = ["<id>", "the pet's id: `petstore pets list` shows it", parseAssignedId] as const;

function statusOption(description: string): Option {
  return new Option("--status <status>", description).choices(PetStatus.options);
}

function categoryOption(description: string): Option {
  return new Option("--category <id>", description).argParser(parseCategoryId);
}

function nameOption(description: string): Option {
  return new Option("--name <text>", description).argParser((text) => {
    if (isPetName(text)) return text;
    throw new InvalidArgumentError(`It must be ${PET_NAME_RULE}.`);
  });
}

function deleteCommand(): Command {
  return new Command("delete")
    .description("Remove a pet for good. Its id is never assigned again.")
    .argument(...ID_ARGUMENT)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore pets delete 1")
    .action(remove);
}

async function remove(id: bigint, { json }: { json?: boolean }): Promise<void> {
  await withExistingStores(async ({ pets, author }) => {
    await pets.delete(id, { by: author, now: Date.now() });
    print(json, { removed: id }, () => `Removed pet ${id}.`);
  });
}

type PetExportOptions = ExportOptions & { status?: PetStatus };

function exportCommand(): Command {
  return newExportCommand()
    .description("Write all pets, consistent as of one moment. Works while the service runs.")
    .addOption(statusOption("only pets of this status"))
    .addHelpText("after", EXPORT_EXAMPLES)
    .action((file: string | undefined, options: PetExportOptions, command: Command) =>
      exportFile(file, options, command, {
        noun: ["pet", "pets"],
        content: pets,
        pages: ({ bulk }) => bulk.snapshot(options.status),
      }),
    );
}

const EXPORT_EXAMPLES = `
Examples:
  petstore pets export pets.csv
  petstore pets export --status available | jq -r .name`;

type PetImportOptions = ImportOptions & { replace?: boolean; replaceStatus?: boolean };

function importCommand(): Command {
  return newImportCommand()
    .description("Add the pets of a file to the catalogue, under new ids.")
    .option("--replace", "change the pets whose id a line has")
    .addOption(
      new Option("--replace-status", "with --replace: also change the status of sold pets").implies({ replace: true }),
    )
    .addHelpText("after", HELP)
    .action((file: string, options: PetImportOptions, command: Command) =>
      importFile(file, options, command, {
        noun: ["pet", "pets"],
        batches: ({ config: { checksCategories }, ...stores }, chunks, format) => {
          const target = { ...stores, checksCategories, clock: Date.now };
          const { replace, replaceStatus } = options;
          return new PetImport(target).run(chunks, { format, replace, replaceStatus });
        },
      }),
    );
}

const HELP = `
NDJSON has one object per line:
  {"name":"Rex","categoryId":1,"status":"available"}
CSV has a header with the columns name, categoryId and optionally status.
Ids and all other fields are ignored.

With --replace a line that has an id changes that pet: what the line leaves out
stays as it is, and the rules for changes apply. Lines without an id add pets;
pets that the file does not name stay. CSV needs the column id then. To edit the
catalogue: export it, edit the file, and import it with --replace. A pet that a
delivered order has sold stays sold, even if its line says otherwise: the file
may be older than the order. With --replace-status its line decides.

${REJECTED_LINES}

Examples:
  petstore pets import samples/pets.ndjson
  petstore pets import pets.csv --replace
  zcat pets.csv.gz | petstore pets import - --format csv`;

type PetListOptions = ListOptions & {
  status?: PetStatus;
  category?: bigint;
  name?: string;
  ids?: bigint[];
  newest?: boolean;
};

function listCommand(): Command {
  const [limit, after] = rangeOptions("pets", integer(0n));
  return new Command("list")
    .description("List pets by id, oldest first.")
    .addOption(statusOption("only pets of this status"))
    .addOption(categoryOption("only pets of this category"))
    .addOption(nameOption("only pets with this name; case is ignored"))
    .option("--ids <ids>", "only pets with these ids, separated by commas", idsOf(parseAssignedId))
    .option("--newest", "newest first; --after then means smaller ids")
    .addOption(limit)
    .addOption(after)
    .option(...JSON_OPTION)
    .addHelpText("after", LIST_EXAMPLES)
    .action(list);
}

const LIST_EXAMPLES = `
Examples:
  petstore pets list --status available --category 7
  petstore pets list --name rex --newest --limit 10
  petstore pets list --ids 1,2,3 --json`;

async function list(options: PetListOptions): Promise<void> {
  const { status, category: categoryId, name, ids, newest, after } = options;
  const order: Page["order"] = newest ? "desc" : "asc";
  const start = newest ? INT64_MAX : 0n;
  await withExistingStores(async ({ pets }) => {
    const pages = pagesOf(
      ({ after = start, limit }) => pets.list({ status, categoryId, name, ids, order, after, limit }),
      after,
    );
    const list = { pages, json: petJson, head: ["ID", "NAME", "CATEGORY", "STATUS"], flexible: "NAME", row: rowOf };
    await printList({ ...list, none: "No pet matches." }, options);
  });
}

function rowOf({ id, name, categoryId, status }: StoredPet): string[] {
  return [String(id), name, String(categoryId), status];
}

function showCommand(): Command {
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

type UpdateOptions = { name?: string; category?: bigint; status?: PetStatus; json?: boolean };

function updateCommand(): Command {
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
  { name, category: categoryId, status, json }: UpdateOptions,
  command: Command,
): Promise<void> {
  if (name === undefined && categoryId === undefined && status === undefined) {
    command.error("error: nothing to change; add --name, --category or --status");
  }
  await withExistingStores(async ({ pets, author }) => {
    const pet = await pets.update(id, { name, categoryId, status }, { by: author, now: Date.now() });
    print(json, petJson(pet), () => `Pet ${id} is "${pet.name}" of category ${pet.categoryId}, ${pet.status}.`);
  });
}

export function petsCommand(): Command {
  return new Command("pets")
    .description("List, change, remove, import and export pets. Works while the service runs.")
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(updateCommand())
    .addCommand(deleteCommand())
    .addCommand(importCommand())
    .addCommand(exportCommand());
}
