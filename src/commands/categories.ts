import { categories } from "../adapters/files/items.ts";
import { categoryJson, categoryName } from "../domain/categories.ts";
import { PetstoreError } from "../domain/errors.ts";
import { pagesOf } from "../wiring/exports.ts";
import { importCategories } from "../wiring/imports.ts";
import { defineExport, defineImport, REJECTED_LINES } from "./files.ts";
import { columnsOf, type ListOptions, printList, rangeOptions } from "./lists.ts";
import { defineGroup, idsOf, type JsonOption, parseCategoryId, textParser } from "./options.ts";
import { print } from "./output.ts";
import { defineStoreCommand } from "./stores.ts";

const ID = ["<id>", "the category's id: `petstore categories list` shows it", parseCategoryId] as const;

const parseName = textParser(categoryName.isValid, `must be ${categoryName.rule}`);

const remove = defineStoreCommand({
  name: "delete",
  description: "Remove a category that no pet has.",
  arguments: [ID],
  examples: ["petstore categories delete 1"],
  action: async ({ categories, author }, id: bigint, { json }: JsonOption) => {
    await categories.delete(id, { by: author, now: Date.now() });
    print(json, { removed: id }, () => `Removed category ${id}.`);
  },
});

const exportCategories = defineExport({
  description: "Write all categories, by id. Works while the service runs.",
  examples: ["petstore categories export categories.csv"],
  noun: ["category", "categories"],
  content: categories,
  pages: (stores) => pagesOf((page) => stores.categories.list(page)),
});

const importCommand = defineImport({
  description: "Create and rename categories as the lines of a file say.",
  about: `NDJSON has one object per line: {"id":1,"name":"Dogs"}. CSV has a header with
the columns name and optionally id. A line creates the category with its id, or
renames it; without an id it creates one under a new id.

${REJECTED_LINES}`,
  examples: [
    "petstore categories import categories.csv",
    `echo '{"name":"Dogs"}' | petstore categories import - --format ndjson`,
  ],
  noun: ["category", "categories"],
  batches: (stores, chunks, options) => importCategories({ ...stores, clock: Date.now }, chunks, options),
});

type CategoryListOptions = ListOptions & { name?: string; ids?: bigint[] };

const list = defineStoreCommand({
  name: "list",
  description: "List categories by id.",
  options: [
    ["--name <text>", "only the category with this name; case is ignored", parseName],
    ["--ids <ids>", "only categories with these ids, separated by commas", idsOf(parseCategoryId)],
    ...rangeOptions("categories", parseCategoryId),
  ],
  examples: ["petstore categories list", "petstore categories list --name dogs --json"],
  action: ({ categories }, options: CategoryListOptions) => {
    const { name, ids, after } = options;
    return printList(
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
  },
});

const rename = defineStoreCommand({
  name: "rename",
  description: "Give a category another name.",
  arguments: [ID, ["<name>", "a name that no other category has; case is ignored", parseName]],
  examples: ['petstore categories rename 1 "Hounds"'],
  action: async ({ categories, author }, id: bigint, name: string, { json }: JsonOption) => {
    if ((await categories.get(id)) === undefined) throw new PetstoreError("category_not_found");
    const options = { by: author, now: Date.now(), preconditions: { ifMatch: "any" } } as const;
    const { category } = await categories.put({ id, name }, options);
    print(json, categoryJson(category), () => `Category ${id} is named "${name}" now.`);
  },
});

const show = defineStoreCommand({
  name: "show",
  description: "Show a category.",
  arguments: [ID],
  examples: ["petstore categories show 1"],
  action: async ({ categories }, id: bigint, { json }: JsonOption) => {
    const category = await categories.get(id);
    if (category === undefined) throw new PetstoreError("category_not_found");
    print(json, categoryJson(category), () =>
      columnsOf([
        ["id", String(id)],
        ["name", category.name],
      ]),
    );
  },
});

export const categoriesCommand = defineGroup(
  "categories",
  "List, rename, remove, import and export categories. Works while the service runs.",
  [list, show, rename, remove, importCommand, exportCategories],
);
