import { type Command, Option } from "commander";
import { pets } from "../adapters/files/items.ts";
import { PetstoreError } from "../domain/errors.ts";
import { INT64_MAX } from "../domain/int64.ts";
import { type Page, PetStatus, petJson, petName, petNameFilter, type StoredPet } from "../domain/pets.ts";
import { pagesOf } from "../wiring/exports.ts";
import { importPets as importPetsTo } from "../wiring/imports.ts";
import { defineExport, defineImport, REJECTED_LINES } from "./files.ts";
import { columnsOf, type ListOptions, printList, rangeOptions } from "./lists.ts";
import {
  defineCommand,
  defineGroup,
  idsOf,
  integer,
  type JsonOption,
  parseAssignedId,
  parseCategoryId,
  textParser,
} from "./options.ts";
import { print } from "./output.ts";
import { defineStoreCommand, withExistingStores } from "./stores.ts";

const ID = ["<id>", "the pet's id: `petstore pets list` shows it", parseAssignedId] as const;

function statusOption(description: string): Option {
  return new Option("--status <status>", description).choices(PetStatus.options);
}

const parseName = textParser(petName.isValid, `must be ${petName.rule}`);
const parseNameFilter = textParser(petNameFilter.isValid, `must be ${petNameFilter.rule}`);

const remove = defineStoreCommand({
  name: "delete",
  description: "Remove a pet for good. Its id is never assigned again.",
  arguments: [ID],
  examples: ["petstore pets delete 1"],
  action: async ({ pets, author }, id: bigint, { json }: JsonOption) => {
    await pets.delete(id, { by: author, now: Date.now() });
    print(json, { removed: id }, () => `Removed pet ${id}.`);
  },
});

const exportPets = defineExport<StoredPet, { status?: PetStatus }>({
  description: "Write all pets, consistent as of one moment. Works while the service runs.",
  options: [statusOption("only pets of this status")],
  examples: ["petstore pets export pets.csv", "petstore pets export --status available | jq -r .name"],
  noun: ["pet", "pets"],
  content: pets,
  pages: ({ bulk }, { status }) => bulk.snapshot(status),
});

const importPets = defineImport<{ replace?: boolean; replaceStatus?: boolean }>({
  description: "Add the pets of a file to the catalogue, under new ids.",
  options: [
    ["--replace", "change the pets whose id a line has"],
    new Option("--replace-status", "with --replace: also change the status of sold pets").implies({ replace: true }),
  ],
  about: `NDJSON has one object per line:
  {"name":"Rex","categoryId":1,"status":"available"}
CSV has a header with the columns name, categoryId and optionally status.
Ids and all other fields are ignored.

With --replace a line that has an id changes that pet: what the line leaves out
stays as it is, and the rules for changes apply. Lines without an id add pets;
pets that the file does not name stay. CSV needs the column id then. To edit the
catalogue: export it, edit the file, and import it with --replace. A pet that a
delivered order has sold stays sold, even if its line says otherwise: the file
may be older than the order. With --replace-status its line decides.

${REJECTED_LINES}`,
  examples: [
    "petstore pets import samples/pets.ndjson",
    "petstore pets import pets.csv --replace",
    "zcat pets.csv.gz | petstore pets import - --format csv",
  ],
  noun: ["pet", "pets"],
  batches: ({ config: { checksCategories }, ...stores }, chunks, options) =>
    importPetsTo({ ...stores, checksCategories, clock: Date.now }, chunks, options),
});

type PetListOptions = ListOptions & {
  status?: PetStatus;
  category?: bigint;
  name?: string;
  ids?: bigint[];
  newest?: boolean;
};

const list = defineStoreCommand({
  name: "list",
  description: "List pets by id, oldest first.",
  options: [
    statusOption("only pets of this status"),
    ["--category <id>", "only pets of this category", parseCategoryId],
    [
      "--name <text>",
      "only pets with this name, or with `*` at its end, whose names begin so; case is ignored",
      parseNameFilter,
    ],
    ["--ids <ids>", "only pets with these ids, separated by commas", idsOf(parseAssignedId)],
    ["--newest", "newest first; --after then means smaller ids"],
    ...rangeOptions("pets", integer(0n)),
  ],
  examples: [
    "petstore pets list --status available --category 7",
    "petstore pets list --name 'rex*' --newest --limit 10",
    "petstore pets list --ids 1,2,3 --json",
  ],
  action: ({ pets }, options: PetListOptions) => {
    const { status, category: categoryId, name, ids, newest, after: first } = options;
    const order: Page["order"] = newest ? "desc" : "asc";
    const start = newest ? INT64_MAX : 0n;
    return printList(
      {
        pages: pagesOf(
          ({ after = start, limit }) => pets.list({ status, categoryId, name, ids, order, after, limit }),
          first,
        ),
        json: petJson,
        head: ["ID", "NAME", "CATEGORY", "STATUS"],
        flexible: "NAME",
        row: ({ id, name, categoryId, status }) => [String(id), name, String(categoryId), status],
        none: "No pet matches.",
      },
      options,
    );
  },
});

const show = defineStoreCommand({
  name: "show",
  description: "Show a pet with the name of its category.",
  arguments: [ID],
  examples: ["petstore pets show 1"],
  action: async ({ pets, categories }, id: bigint, { json }: JsonOption) => {
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
  },
});

type UpdateOptions = JsonOption & { name?: string; category?: bigint; status?: PetStatus };

const update = defineCommand({
  name: "update",
  description: "Change a pet, by the rules of the interface. What you leave out stays.",
  arguments: [ID],
  options: [
    ["--name <text>", "the new name", parseName],
    ["--category <id>", "the new category", parseCategoryId],
    statusOption("the new status"),
  ],
  examples: ["petstore pets update 1 --status sold"],
  action: async (id: bigint, { name, category: categoryId, status, json }: UpdateOptions, command: Command) => {
    if (name === undefined && categoryId === undefined && status === undefined) {
      command.error("error: nothing to change; add --name, --category or --status");
    }
    await withExistingStores(async ({ pets, author }) => {
      const pet = await pets.update(id, { name, categoryId, status }, { by: author, now: Date.now() });
      print(json, petJson(pet), () => `Pet ${id} is "${pet.name}" of category ${pet.categoryId}, ${pet.status}.`);
    });
  },
});

export const petsCommand = defineGroup(
  "pets",
  "List, change, remove, import and export pets. Works while the service runs.",
  [list, show, update, remove, importPets, exportPets],
);
