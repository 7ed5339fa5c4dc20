import { Command } from "commander";
import { type OrderStatus, orderJson, type StoredOrder } from "../../domain/orders/order.ts";
import { pagesOf } from "../../wiring/list-pages.ts";
import { JSON_OPTION } from "../keys/options.ts";
import { type ListOptions, printList, rangeOptions } from "../listing.ts";
import { idsOf, integer, parseAssignedId } from "../options.ts";
import { withExistingStores } from "../stores.ts";
import { formatTime } from "../time.ts";
import { statusOption } from "./options.ts";

type Options = ListOptions & { status?: OrderStatus; pet?: bigint; ids?: bigint[] };

export function listCommand(): Command {
  const [limit, after] = rangeOptions("orders", integer(0n));
  return new Command("list")
    .description("List orders by id, oldest first.")
    .addOption(statusOption())
    .option("--pet <id>", "only orders for this pet", parseAssignedId)
    .option("--ids <ids>", "only orders with these ids, separated by commas", idsOf(parseAssignedId))
    .addOption(limit)
    .addOption(after)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExamples:\n  petstore orders list --status placed\n  petstore orders list --pet 1 --json")
    .action(list);
}

async function list(options: Options): Promise<void> {
  const { status, pet: petId, ids, after } = options;
  await withExistingStores(async ({ orders }) => {
    await printList(
      {
        pages: pagesOf((page) => orders.list({ status, petId, ids, ...page }), after),
        json: orderJson,
        head: ["ID", "PET", "STATUS", "PLACED", "CHANGED"],
        flexible: "PET",
        row: rowOf,
        none: "No order matches.",
      },
      options,
    );
  });
}

function rowOf({ id, petId, status, createdAt, updatedAt }: StoredOrder): string[] {
  return [String(id), String(petId), status, formatTime(createdAt), formatTime(updatedAt)];
}
