import { z } from "zod";
import { type OrderCounts as Counts, exampleOrder, Order, orderJson } from "../../../../domain/orders.ts";
import { PAGE } from "../../../../domain/pets.ts";
import { OrderedOrdersQuery, withLimit } from "../../paging.ts";
import { count } from "../../parameters.ts";
import { json } from "../../request.ts";
import { nextId, readPage, total } from "../fields.ts";
import { operation } from "./operation.ts";

export const OrderCounts = z
  .strictObject({ placed: count, approved: count, delivered: count, cancelled: count } satisfies Record<
    keyof Counts,
    z.ZodType
  >)
  .meta({
    id: "OrderCounts",
    description: "How many orders of each status there are.",
    examples: [{ placed: 2, approved: 1, delivered: 40, cancelled: 3 }],
  });

export const OrderPage = z.strictObject({ orders: z.array(Order).max(PAGE.max), next: nextId, total }).meta({
  id: "OrderPage",
  description: "A page of orders, by id.",
  examples: [{ orders: [exampleOrder], next: exampleOrder.id, total: 42 }],
});

export const listOrders = operation({
  id: "listOrders",
  route: "GET /orders",
  role: "viewer",
  summary: "List orders",
  description: "Lists the orders that match all given filters, by id; with `order=desc` the newest first.",
  request: { query: OrderedOrdersQuery },
  answers: { 200: { description: "A page of orders.", schema: OrderPage } },
  handle: async ({ orders }, { query, context }) => {
    const page = withLimit(query);
    const { status, petId, reference, ids } = page;
    const isCounted = petId === undefined && reference === undefined && ids === undefined;
    const [{ items, next }, counts] = await Promise.all([
      readPage(page.limit, (limit) => orders.list({ ...page, limit })),
      isCounted ? orders.counts() : undefined,
    ]);
    const all = counts && (status === undefined ? Object.values(counts) : [counts[status]]);
    const total = all?.reduce((sum, one) => sum + one, 0) ?? null;
    return json(context, 200, { orders: items.map(orderJson), next, total });
  },
});
