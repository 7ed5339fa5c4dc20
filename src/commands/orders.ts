import { Option } from "commander";
import { orders } from "../adapters/files/items.ts";
import { PetstoreError } from "../domain/errors.ts";
import { OrderStatus, orderJson, orderReference, type StoredOrder } from "../domain/orders.ts";
import { pagesOf } from "../wiring/exports.ts";
import { defineExport } from "./files.ts";
import { columnsOf, type ListOptions, printList, rangeOptions } from "./lists.ts";
import { defineGroup, idsOf, integer, type JsonOption, parseAssignedId, textParser } from "./options.ts";
import { formatTime, print } from "./output.ts";
import { defineStoreCommand } from "./stores.ts";

const ID = ["<id>", "the order's id: `petstore orders list` shows it", parseAssignedId] as const;
const STATUS = new Option("--status <status>", "only orders of this status").choices(OrderStatus.options);

const parseReference = textParser(orderReference.isValid, `must be ${orderReference.rule}`);

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

type OrderListOptions = ListOptions & { status?: OrderStatus; pet?: bigint; reference?: string; ids?: bigint[] };

const list = defineStoreCommand({
  name: "list",
  description: "List orders by id, oldest first.",
  options: [
    STATUS,
    ["--pet <id>", "only orders for this pet", parseAssignedId],
    ["--reference <text>", "only orders with exactly this reference", parseReference],
    ["--ids <ids>", "only orders with these ids, separated by commas", idsOf(parseAssignedId)],
    ...rangeOptions("orders", integer(0n)),
  ],
  examples: ["petstore orders list --status placed", "petstore orders list --pet 1 --json"],
  action: ({ orders }, options: OrderListOptions) => {
    const { status, pet: petId, reference, ids, after } = options;
    return printList(
      {
        pages: pagesOf((page) => orders.list({ status, petId, reference, ids, ...page }), after),
        json: orderJson,
        head: ["ID", "PET", "NAME", "STATUS", "REFERENCE", "PLACED", "CHANGED"],
        flexible: "NAME",
        row: rowOf,
        none: "No order matches.",
      },
      options,
    );
  },
});

function rowOf({ id, petId, pet, status, reference = "", createdAt, updatedAt }: StoredOrder): string[] {
  return [String(id), String(petId), pet?.name ?? "", status, reference, formatTime(createdAt), formatTime(updatedAt)];
}

const place = defineStoreCommand({
  name: "place",
  description: "Order an available pet, which becomes pending.",
  arguments: [["<petId>", "the pet's id: `petstore pets list --status available` shows it", parseAssignedId]],
  options: [["--reference <text>", "the buyer's own number or name of the order", parseReference]],
  examples: ["petstore orders place 1", "petstore orders place 1 --reference 2026-0815"],
  action: async ({ orders, author }, petId: bigint, { json, reference }: JsonOption & { reference?: string }) => {
    const { created: order } = await orders.place(petId, Date.now(), { by: author, reference });
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
    const { petId, pet, status, reference, createdAt, updatedAt } = order;
    const { expiresAt } = orderJson(order);
    const isRemoved = (await pets.get(BigInt(petId))) === undefined;
    const name = pet === null ? [] : [`"${pet.name}" of category ${pet.categoryId}`];
    print(json, orderJson(order), () =>
      columnsOf([
        ["id", String(id)],
        ["pet", [petId, ...name, ...(isRemoved ? ["removed since"] : [])].join(", ")],
        ["status", status],
        ...(reference === undefined ? [] : [["reference", reference]]),
        ["placed", formatTime(createdAt)],
        ["changed", formatTime(updatedAt)],
        ...(expiresAt === undefined ? [] : [["expires", formatTime(Date.parse(expiresAt))]]),
      ]),
    );
  },
});

export const ordersCommand = defineGroup(
  "orders",
  "List, place, change and export orders. Works while the service runs.",
  [list, show, place, ...changes, exportOrders],
);
