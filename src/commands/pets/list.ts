import { Command } from "commander";
import { INT64_MAX } from "../../domain/int64.ts";
import { petJson } from "../../domain/pets/json.ts";
import type { Page } from "../../domain/pets/listing.ts";
import type { PetStatus, StoredPet } from "../../domain/pets/pet.ts";
import { pagesOf } from "../../wiring/list-pages.ts";
import { JSON_OPTION } from "../keys/options.ts";
import { type ListOptions, printList, rangeOptions } from "../listing.ts";
import { idsOf, integer, parseAssignedId } from "../options.ts";
import { withExistingStores } from "../stores.ts";
import { categoryOption, nameOption, statusOption } from "./options.ts";

type Options = ListOptions & {
  status?: PetStatus;
  category?: bigint;
  name?: string;
  ids?: bigint[];
  newest?: boolean;
};

export function listCommand(): Command {
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
    .addHelpText("after", EXAMPLES)
    .action(list);
}

const EXAMPLES = `
Examples:
  petstore pets list --status available --category 7
  petstore pets list --name rex --newest --limit 10
  petstore pets list --ids 1,2,3 --json`;

async function list(options: Options): Promise<void> {
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
