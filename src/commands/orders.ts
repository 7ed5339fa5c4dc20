import { Command, Option } from "commander";
import { orders } from "../adapters/files/items.ts";
import { PetstoreError } from "../domain/errors.ts";
import { OrderStatus, orderJson, type StoredOrder } from "../domain/orders.ts";
import { pagesOf } from "../wiring/exports.ts";
import { type ExportOptions, exportFile, newExportCommand } from "./files.ts";
import { columnsOf, type ListOptions, printList, rangeOptions } from "./lists.ts";
import { idsOf, integer, JSON_OPTION, parseAssignedId } from "./options.ts";
import { formatTime, print } from "./output.ts";
import { withExistingStores } from "./stores.ts";

const ID_ARGUMENT = ["<id>", "the order's id: `petstore orders list` shows it", parseAssignedId] as const;

function statusOption(): Option {
  return new Option("--status <status>", "only orders of this status").choices(OrderStatus.options);
}

/** The commands that give an order its next status. */
const changes = [
  { name: "approve", status: "approved", description: "Approve a placed order." },
  { name: "deliver", status: "delivered", description: "Deliver an approved order: its pet becomes sold." },
  { name: "cancel", status: "cancelled", description: "Cancel a placed or approved order: its pet becomes available." },
] as const satisfies { name: string; status: OrderStatus; description: string }[];

function changeCommands(): Command[] {
  return changes.map(({ name, status, description }) =>
    new Command(name)
      .description(description)
      .argument(...ID_ARGUMENT)
      .option(...JSON_OPTION)
      .addHelpText("after", `\nExample:\n  petstore orders ${name} 1`)
      .action((id: bigint, options: { json?: boolean }) => change(id, status, options)),
  );
}

async function change(id: bigint, status: OrderStatus, { json }: { json?: boolean }): Promise<void> {
  await withExistingStores(async ({ orders, author }) => {
    const order = await orders.update(id, status, Date.now(), { by: author });
    print(json, orderJson(order), () => `Order ${id} of pet ${order.petId} is ${order.status}.`);
  });
}

type OrderExportOptions = ExportOptions & { status?: OrderStatus };

function exportCommand(): Command {
  return newExportCommand()
    .description("Write all orders, by id. Works while the service runs.")
    .addOption(statusOption())
    .addHelpText("after", "\nExamples:\n  petstore orders export orders.csv\n  petstore orders export --status placed")
    .action((file: string | undefined, options: OrderExportOptions, command: Command) =>
      exportFile(file, options, command, {
        noun: ["order", "orders"],
        content: orders,
        pages: (stores) => pagesOf((page) => stores.orders.list({ status: options.status, ...page })),
      }),
    );
}

type OrderListOptions = ListOptions & { status?: OrderStatus; pet?: bigint; ids?: bigint[] };

function listCommand(): Command {
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

async function list(options: OrderListOptions): Promise<void> {
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

function placeCommand(): Command {
  return new Command("place")
    .description("Order an available pet, which becomes pending.")
    .argument("<petId>", "the pet's id: `petstore pets list --status available` shows it", parseAssignedId)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore orders place 1")
    .action(place);
}

async function place(petId: bigint, { json }: { json?: boolean }): Promise<void> {
  await withExistingStores(async ({ orders, author }) => {
    const { created: order } = await orders.place(petId, Date.now(), { by: author });
    print(json, orderJson(order), () => `Order ${order.id} of pet ${petId} is placed.`);
  });
}

function showCommand(): Command {
  return new Command("show")
    .description("Show an order with its pet.")
    .argument(...ID_ARGUMENT)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore orders show 1")
    .action(show);
}

async function show(id: bigint, { json }: { json?: boolean }): Promise<void> {
  await withExistingStores(async ({ orders, pets }) => {
    const order = await orders.get(id);
    if (order === undefined) throw new PetstoreError("order_not_found");
    const { petId, status, createdAt, updatedAt } = order;
    const pet = await pets.get(BigInt(petId));
    print(json, orderJson(order), () =>
      columnsOf([
        ["id", String(id)],
        ["pet", `${petId}, ${pet === undefined ? "removed" : `"${pet.name}"`}`],
        ["status", status],
        ["placed", formatTime(createdAt)],
        ["changed", formatTime(updatedAt)],
      ]),
    );
  });
}

export function ordersCommand(): Command {
  const orders = new Command("orders")
    .description("List, place, change and export orders. Works while the service runs.")
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(placeCommand());
  for (const command of changeCommands()) orders.addCommand(command);
  return orders.addCommand(exportCommand());
}
