import { Option } from "commander";
import { orders } from "../adapters/files/items.ts";
import { PetstoreError } from "../domain/errors.ts";
import { OrderStatus, orderJson, type StoredOrder } from "../domain/orders.ts";
import { pagesOf } from "../wiring/exports.ts";
import { defineExport } from "./files.ts";
import { columnsOf, type ListOptions, printList, rangeOptions } from "./lists.ts";
import { defineGroup, idsOf, integer, type JsonOption, parseAssignedId } from "./options.ts";
import { formatTime, print } from "./output.ts";
import { defineStoreCommand } from "./stores.ts";

const ID = ["<id>", "the order's id: `petstore orders list` shows it", parseAssignedId] as const;
const STATUS = new Option("--status <status>", "only orders of this status").choices(OrderStatus.options);

/** The commands that give an order its next status. */
const changes = (
  [
    ["approve", "approved", "Approve a placed order."],
    ["deliver", "delivered", "Deliver an approved order: its pet becomes sold."],
    ["cancel", "cancelled", "Cancel a placed or approved order: its pet becomes available."],
  ] as const
).map(([name, status, description]) =>
  defineStoreCommand({
    name,
    description,
    arguments: [ID],
    examples: [`petstore orders ${name} 1`],
    action: async ({ orders, author }, id: bigint, { json }: JsonOption) => {
      const order = await orders.update(id, status, Date.now(), { by: author });
      print(json, orderJson(order), () => `Order ${id} of pet ${order.petId} is ${order.status}.`);
    },
  }),
);

const exportOrders = defineExport<StoredOrder, { status?: OrderStatus }>({
  description: "Write all orders, by id. Works while the service runs.",
  options: [STATUS],
  examples: ["petstore orders export orders.csv", "petstore orders export --status placed"],
  noun: ["order", "orders"],
  content: orders,
  pages: (stores, { status }) => pagesOf((page) => stores.orders.list({ status, ...page })),
});

type OrderListOptions = ListOptions & { status?: OrderStatus; pet?: bigint; ids?: bigint[] };

const list = defineStoreCommand({
  name: "list",
  description: "List orders by id, oldest first.",
  options: [
    STATUS,
    ["--pet <id>", "only orders for this pet", parseAssignedId],
    ["--ids <ids>", "only orders with these ids, separated by commas", idsOf(parseAssignedId)],
    ...rangeOptions("orders", integer(0n)),
  ],
  examples: ["petstore orders list --status placed", "petstore orders list --pet 1 --json"],
  action: ({ orders }, options: OrderListOptions) => {
    const { status, pet: petId, ids, after } = options;
    return printList(
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
  },
});

function rowOf({ id, petId, status, createdAt, updatedAt }: StoredOrder): string[] {
  return [String(id), String(petId), status, formatTime(createdAt), formatTime(updatedAt)];
}

const place = defineStoreCommand({
  name: "place",
  description: "Order an available pet, which becomes pending.",
  arguments: [["<petId>", "the pet's id: `petstore pets list --status available` shows it", parseAssignedId]],
  examples: ["petstore orders place 1"],
  action: async ({ orders, author }, petId: bigint, { json }: JsonOption) => {
    const { created: order } = await orders.place(petId, Date.now(), { by: author });
    print(json, orderJson(order), () => `Order ${order.id} of pet ${petId} is placed.`);
  },
});

const show = defineStoreCommand({
  name: "show",
  description: "Show an order with its pet.",
  arguments: [ID],
  examples: ["petstore orders show 1"],
  action: async ({ orders, pets }, id: bigint, { json }: JsonOption) => {
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
  },
});

export const ordersCommand = defineGroup(
  "orders",
  "List, place, change and export orders. Works while the service runs.",
  [list, show, place, ...changes, exportOrders],
);
